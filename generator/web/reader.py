"""Read documents in a separate process: bodies are untrusted, and parsers may hang or exhaust memory on them.

``python -m generator.web.reader`` reads requests from standard input, each a line of JSON followed by a body of the
length stated there, and answers each with a line of JSON on standard output. `readers` starts and ends it.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import Any, BinaryIO

from generator.web.model import Outcome
from generator.web.outcomes import Unfetched

MAX_MEMORY = 2 << 30
"""Maximum address space of the process in bytes, if the system can limit it."""


def serve(orders: BinaryIO, answers: BinaryIO) -> None:
    """Answer requests until there are no more."""
    from generator.web.documents import read_document  # noqa: PLC0415 - within the limits that main() sets

    while line := orders.readline():
        order = json.loads(line)
        body = orders.read(order.pop("size"))
        answer: dict[str, Any]
        try:
            answer = {"document": asdict(read_document(body, **order))}
        except Unfetched as error:
            answer = {"outcome": error.outcome.value, "reason": error.reason}
        except Exception as error:  # noqa: BLE001 - a parser may fail on hostile input in any way: that is an outcome
            reason = f"it cannot be read ({' '.join([type(error).__name__, *str(error).split()])[:200]})"
            answer = {"outcome": Outcome.FAILED.value, "reason": reason}
        answers.write(json.dumps(answer).encode("ascii") + b"\n")
        answers.flush()


def limit_memory() -> None:
    """Limit this process to `MAX_MEMORY`; Windows has no such limit."""
    try:
        import resource  # noqa: PLC0415 - not available on Windows
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))


def main() -> None:
    """Serve requests on standard input and output."""
    limit_memory()
    serve(sys.stdin.buffer, sys.stdout.buffer)


if __name__ == "__main__":
    main()
