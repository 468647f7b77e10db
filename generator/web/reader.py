"""Reads documents in a process of its own: what hosts send is anybody's, and parsers may hang or swell on it.

``python -m generator.web.reader`` answers each order on its standard input, one line of JSON with a body of
the length that it tells, with a line of JSON on its standard output. `readers` starts it, and ends it.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import Any, BinaryIO

from generator.web.model import Outcome
from generator.web.outcomes import Unfetched

MAX_MEMORY = 2 << 30
"""Bytes of address space that the process may use, where the system can limit it."""


def serve(orders: BinaryIO, answers: BinaryIO) -> None:
    """Answers orders until there are no more."""
    from generator.web.documents import read_document  # noqa: PLC0415 - within the limits that main() sets

    while line := orders.readline():
        order = json.loads(line)
        body = orders.read(order.pop("size"))
        answer: dict[str, Any]
        try:
            answer = {"document": asdict(read_document(body, **order))}
        except Unfetched as error:
            answer = {"outcome": error.outcome.value, "reason": error.reason}
        except Exception as error:  # noqa: BLE001 - a parser may fail on hostile input in any way, and that is an outcome
            reason = f"it cannot be read ({' '.join([type(error).__name__, *str(error).split()])[:200]})"
            answer = {"outcome": Outcome.FAILED.value, "reason": reason}
        answers.write(json.dumps(answer).encode("ascii") + b"\n")
        answers.flush()


def limit_memory() -> None:
    """Lets this process use no more than `MAX_MEMORY`; on Windows there is no such limit."""
    try:
        import resource  # noqa: PLC0415 - it is not there on Windows
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))


def main() -> None:
    """Serves standard input and output."""
    limit_memory()
    serve(sys.stdin.buffer, sys.stdout.buffer)


if __name__ == "__main__":
    main()
