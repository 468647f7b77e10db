"""Compare what a DALI reader delivers after a restart with the same seed, and after restoring its checkpoint.

python dali_resume.py      # needs nvidia-dali 2.x; no GPU

The reader is set up as in NVIDIA's ConvNets example: seed=12 + rank, random_shuffle, pad_last_batch, a shard for each rank. 24 files, 2 ranks, 4 files a batch,
so an epoch of a rank has 3 batches. The shuffle buffer (initial_fill) holds 4 files instead of 1,024, to be smaller than a shard, as it is with ImageNet.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import nvidia.dali
from nvidia.dali import fn, pipeline_def


def make(files: list[str], rank: int, **more: object) -> nvidia.dali.Pipeline:
    """Return a pipeline that delivers the files' numbers."""

    @pipeline_def(batch_size=4, num_threads=1, device_id=None, seed=12 + rank, **more)
    def numbers() -> object:
        _, labels = fn.readers.file(
            files=files,
            labels=list(range(len(files))),
            random_shuffle=True,
            initial_fill=4,
            pad_last_batch=True,
            shard_id=rank,
            num_shards=2,
            name="Reader",
        )
        return labels

    made = numbers()
    made.build()
    return made


def epoch(pipe: nvidia.dali.Pipeline) -> list[int]:
    """Run 3 batches."""
    return [int(v) for _ in range(3) for v in pipe.run()[0].as_array().flatten()]


def main() -> None:
    """Print the orders."""
    print(f"nvidia-dali {nvidia.dali.__version__}, CPU pipelines")
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for k in range(24):
            path = Path(folder) / f"{k:02}"
            path.write_bytes(b"x")
            files.append(str(path))
        for rank in (0, 1):
            pipe = make(files, rank, enable_checkpointing=True)
            epochs = [epoch(pipe)]
            state = pipe.checkpoint()
            epochs += [epoch(pipe), epoch(pipe)]
            print(f"\nrank {rank}")
            for k, e in enumerate(epochs):
                print(f"  uninterrupted, epoch {k}:               {e}")
            again = make(files, rank, enable_checkpointing=True)
            first = epoch(again)
            print(f"  stopped after epoch 0, new pipeline:    {first}  same as epoch 1: {first == epochs[1]}, as epoch 0: {first == epochs[0]}")
            restored = make(files, rank, enable_checkpointing=True, checkpoint=state)
            second = epoch(restored)
            print(f"  stopped after epoch 0, with checkpoint: {second}  same as epoch 1: {second == epochs[1]}, as epoch 0: {second == epochs[0]}")


if __name__ == "__main__":
    main()
