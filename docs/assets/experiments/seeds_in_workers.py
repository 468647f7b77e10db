"""What a seed fixes in a DataLoader: order, and random numbers of torch, random and numpy in workers. On the CPU.

python seeds_in_workers.py
"""

import hashlib
import random

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Noisy(Dataset):
    """Items with a random number of each library, as an augmentation draws them."""

    def __len__(self):
        return 64

    def __getitem__(self, index):
        return index, torch.rand(()).item(), random.random(), np.random.rand(), float(np.random.default_rng().random())


def epoch(workers, seed=0, generator=None, **options):
    """Return digests of the order and of the numbers of each library in one epoch."""
    torch.manual_seed(seed)
    random.seed(seed)
    np.random.seed(seed)
    loader = DataLoader(Noisy(), batch_size=8, shuffle=True, num_workers=workers, generator=generator, **options)
    rows = [row for batch in loader for row in zip(*(part.tolist() for part in batch))]
    names = ("order", "torch", "random", "numpy global", "numpy default_rng")
    return {name: hashlib.sha256(repr([row[i] for row in rows]).encode()).hexdigest()[:8] for i, name in enumerate(names)}


def compare(title, one, other):
    """Print which digests are equal."""
    print(f"{title:58}", {name: "equal" if one[name] == other[name] else "DIFFERS" for name in one})


if __name__ == "__main__":
    print(torch.__version__, "numpy", np.__version__)
    compare("0 workers, twice with the same seed", epoch(0), epoch(0))
    compare("2 workers, twice with the same seed", epoch(2), epoch(2))
    compare("0 and 2 workers", epoch(0), epoch(2))
    compare("2 and 4 workers", epoch(2), epoch(4))

    def drawn():
        torch.manual_seed(0)
        torch.rand(1)  # another random number before the loader, as of another initialisation
        loader = DataLoader(Noisy(), batch_size=8, shuffle=True, num_workers=2)
        rows = [row for batch in loader for row in zip(*(part.tolist() for part in batch))]
        return {"order": hashlib.sha256(repr([row[0] for row in rows]).encode()).hexdigest()[:8]}

    compare("2 workers, one more number drawn before", {"order": epoch(2)["order"]}, drawn())

    def own(extra):
        torch.manual_seed(0)
        torch.rand(extra)
        generator = torch.Generator().manual_seed(0)
        loader = DataLoader(Noisy(), batch_size=8, shuffle=True, num_workers=2, generator=generator)
        rows = [row for batch in loader for row in zip(*(part.tolist() for part in batch))]
        return {"order": hashlib.sha256(repr([row[0] for row in rows]).encode()).hexdigest()[:8]}

    compare("the same with a generator of its own", own(1), own(2))
