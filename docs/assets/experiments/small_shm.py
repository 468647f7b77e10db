"""A DataLoader in a small /dev/shm, as Docker gives it (64 MB by default): what it says, and what helps.

unshare -m sh -c 'mount -t tmpfs -o size=64m tmpfs /dev/shm && python small_shm.py'      # as root
"""

import os
import subprocess
import sys

CODE = r"""
import sys, torch
from torch.utils.data import DataLoader, Dataset


class Images(Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, index):
        return torch.zeros(3, 1024, 1024)  # 12 MiB


if __name__ == "__main__":
    strategy, workers = sys.argv[1], int(sys.argv[2])
    torch.multiprocessing.set_sharing_strategy(strategy)
    for number, batch in enumerate(DataLoader(Images(), batch_size=8, num_workers=workers)):
        pass
    print("all", number + 1, "batches")
"""


def main():
    """Run each case, and print the last lines of each."""
    import torch

    size = os.statvfs("/dev/shm")
    print(torch.__version__, "/dev/shm:", size.f_blocks * size.f_frsize // 2**20, "MiB; a batch: 96 MiB")
    for strategy, workers in (("file_descriptor", 0), ("file_descriptor", 2), ("file_system", 2)):
        run = subprocess.run([sys.executable, "-c", CODE, strategy, str(workers)], capture_output=True, text=True, timeout=120)
        said = [line for line in (run.stdout + run.stderr).splitlines() if line.strip()]
        keep = [line for line in said if "rror" in line or "shared memory" in line or "batches" in line]
        print(f"== {strategy}, {workers} workers: status {run.returncode}")
        for line in dict.fromkeys(keep):
            print("   ", line.strip()[:300])


if __name__ == "__main__":
    main()
