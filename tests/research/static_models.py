"""Models of word vectors that a test makes: a word, its vector; in which "cost" and "price" are near."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from model2vec import StaticModel
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.normalizers import Lowercase
from tokenizers.pre_tokenizers import Whitespace

WORDS: Mapping[str, tuple[float, ...]] = {
    "[UNK]": (0, 0, 0, 0),
    **dict.fromkeys(("cost", "costs", "expense"), (1, 0.1, 0, 0)),
    **dict.fromkeys(("price", "euros"), (0.9, 0.2, 0, 0)),
    **dict.fromkeys(("wheel", "stone", "axle"), (0, 0, 1, 0)),
    **dict.fromkeys(("water", "tea", "leaves"), (0, 0, 0.2, 1)),
}


def save_model(folder: Path, words: Mapping[str, tuple[float, ...]] = WORDS, kind: str = "float32") -> Path:
    """A model in `folder`, as its own package saves it, its numbers of this kind."""
    tokenizer = Tokenizer(WordLevel({word: n for n, word in enumerate(words)}, unk_token="[UNK]"))  # noqa: S106 - a word
    tokenizer.normalizer = Lowercase()
    tokenizer.pre_tokenizer = Whitespace()
    vectors = np.array(list(words.values()), dtype=kind)
    StaticModel(vectors, tokenizer, normalize=True).save_pretrained(folder)
    return folder
