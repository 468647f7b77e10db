"""Read documents in other processes.

Bodies are untrusted, and parsers may hang or exhaust memory on them.

The processes are reused, and killed when they take too long. Each runs :func:`main`: it reads
requests from standard input, each a line of JSON followed by a body of the length stated there, and
answers each with a line of JSON.
"""

from __future__ import annotations

import atexit
import json
import os
import resource
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import asdict
from pathlib import Path
from queue import LifoQueue
from typing import IO, Any, BinaryIO, cast

import msgspec

import planbook
from planbook.research.git import reduce_environment
from planbook.research.web.model import Limits, Outcome, Unfetched

_MAX_MEMORY = 2 << 30
"""Maximum address space of a process in bytes."""
_DOCUMENTS_EACH = 200
"""Maximum number of documents per process: parsers do not release all their memory."""
_START = (
    f"import sys; sys.path.append({str(Path(planbook.__file__).parents[1])!r}); "
    "from planbook.research.web.readers import serve_documents; serve_documents()"
)
"""Adds this package's location to the process's import path, however it was found here."""

Until = Callable[[Callable[[], None]], AbstractContextManager[object]]
"""Returns a context that is active while something is awaited.

It calls the given function to abort it.
"""


class Readers:
    """A pool of processes that read documents, each one document at a time. Thread-safe."""

    def __init__(self) -> None:
        self._places: LifoQueue[Reader | None] = LifoQueue()
        """Idle processes, and ``None`` for each that may still be started."""
        # More than the cores would not be faster.
        for _ in range(max(2, os.cpu_count() or 2)):
            self._places.put(None)

    def read(
        self, body: bytes, limits: Limits, until: Until = lambda end: nullcontext(), **order: Any
    ) -> dict[str, Any]:
        """Return the fields of a :class:`~planbook.research.web.document_text.DocumentText`.

        Raises :class:`Unfetched`.

        `order` holds the further arguments of `document_text`; `until` may abort the reading.
        """
        reader = self._places.get()
        try:
            if reader is None or not reader.is_usable:
                if reader:
                    reader.end()
                reader = Reader()
            with until(reader.process.kill):
                whole_order = {"charset": None, **order, "pdf_pages": limits.pdf_pages}
                answer = reader.read(body, limits.reading_s, whole_order)
        finally:
            self._places.put(reader)
        if "document" not in answer:
            raise Unfetched(Outcome(answer["outcome"]), answer["reason"])
        return dict(answer["document"])

    def close(self) -> None:
        """End the idle processes."""
        for reader in [self._places.get() for _ in range(self._places.qsize())]:
            if reader:
                reader.end()
            self._places.put(None)


class Reader:
    """One process that reads documents."""

    def __init__(self) -> None:
        self._documents = 0
        # -P: do not import from the current folder, which may hold anything.
        self.process = subprocess.Popen(  # noqa: S603 - our own module
            [sys.executable, "-P", "-c", _START],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=reduce_environment(os.environ, ("PYTHONPATH", "LD_LIBRARY_PATH")),
            # Ctrl-C is for the run, which ends the processes after it has recorded its work.
            start_new_session=True,
        )
        self._orders = cast("IO[bytes]", self.process.stdin)
        self._answers = cast("IO[bytes]", self.process.stdout)

    @property
    def is_usable(self) -> bool:
        """True if the process is alive and has not read too many documents."""
        return self.process.poll() is None and self._documents < _DOCUMENTS_EACH

    def read(self, body: bytes, timeout_s: float, order: dict[str, Any]) -> dict[str, Any]:
        """Return the answer to one request.

        Raises :class:`Unfetched` if the process ended before it.
        """
        self._documents += 1
        timer = threading.Timer(timeout_s, self.process.kill)
        timer.daemon = True
        timer.start()
        line = b""
        try:
            with suppress(OSError):  # it ended before it had read everything
                self._orders.write(
                    json.dumps({**order, "size": len(body)}).encode("ascii") + b"\n" + body
                )
                self._orders.flush()
                line = self._answers.readline()
        finally:
            is_late = not timer.is_alive()
            timer.cancel()
            if not line.endswith(b"\n"):
                self.end()
        if not line.endswith(b"\n"):
            if is_late:
                raise Unfetched(Outcome.TIMEOUT, f"reading it took longer than {timeout_s:g} s")
            raise Unfetched(Outcome.FAILED, "it cannot be read: the process that read it crashed")
        return msgspec.json.decode(line, type=dict[str, Any])

    def end(self) -> None:
        """End the process, whatever it is doing."""
        self.process.kill()
        with self.process:  # closes its pipes and waits for it
            pass


SHARED_READERS = Readers()
"""The pool of this process.

Starting a reader takes a second, and readers keep no state between documents.
"""
atexit.register(SHARED_READERS.close)


# --- in the processes -----------------------------------------------------------------------------


def serve_documents() -> None:
    """Serve requests on standard input and output, within the limit on memory."""
    resource.setrlimit(resource.RLIMIT_AS, (_MAX_MEMORY, _MAX_MEMORY))
    _serve(sys.stdin.buffer, sys.stdout.buffer)


def _serve(orders: BinaryIO, answers: BinaryIO) -> None:
    """Answer requests until there are no more."""
    # In these processes only, within their limits.
    from planbook.research.web.document_text import document_text  # noqa: PLC0415 - see above

    while line := orders.readline():
        order = json.loads(line)
        body = orders.read(order.pop("size"))
        answer: dict[str, Any]
        try:
            fields = asdict(document_text(body, **order))
            document = {key: value for key, value in fields.items() if value is not None}
            answer = {"document": document}
        except Unfetched as error:
            answer = {"outcome": error.outcome.value, "reason": error.reason}
        except Exception as error:  # noqa: BLE001 - on hostile input, a parser may fail in any way
            reason = " ".join([type(error).__name__, *str(error).split()])[:200]
            answer = {"outcome": Outcome.FAILED.value, "reason": f"it cannot be read ({reason})"}
        answers.write(json.dumps(answer).encode("ascii") + b"\n")
        answers.flush()
