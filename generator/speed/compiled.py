"""Templates compiled once while a site is served."""

from __future__ import annotations

from jinja2.bccache import Bucket, BytecodeCache


class Compiled(BytecodeCache):
    """Caches compiled templates in memory; Jinja checks by their source whether an entry is still valid."""

    def __init__(self) -> None:
        self._code: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Load a template's bytecode, if it is cached."""
        if bucket.key in self._code:
            bucket.bytecode_from_string(self._code[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Note what was made of it."""
        self._code[bucket.key] = bucket.bytecode_to_string()
