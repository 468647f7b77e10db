"""Templates compiled once while a site is served."""

from __future__ import annotations

from jinja2.bccache import Bucket, BytecodeCache


class Compiled(BytecodeCache):
    """Holds what Jinja made of templates in memory; Jinja itself tells by their text whether it still fits.

    Never on disk: whoever can write there could have us run anything.
    """

    def __init__(self) -> None:
        self._code: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Fill in what is known of a template."""
        if bucket.key in self._code:
            bucket.bytecode_from_string(self._code[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Note what was made of it."""
        self._code[bucket.key] = bucket.bytecode_to_string()
