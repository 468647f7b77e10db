"""The processes that read documents: kept for the next one, killed when they take too long."""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import IO, Any, cast

import generator
from generator.web.model import Outcome
from generator.web.outcomes import Unfetched

_KEPT_ENVIRONMENT = ("PATH", "PYTHONPATH", "LD_LIBRARY_PATH", "SYSTEMROOT")
"""What Python needs to start."""
_DOCUMENTS_EACH = 200
"""After so many, a process gives way to a new one: parsers keep memory."""
_START = (
    f"import sys; sys.path.append({str(Path(generator.__file__).parents[1])!r}); "
    "from generator.web.reader import main; main()"
)
"""Where this package is, the process finds it, however it was found here."""


Until = Callable[[Callable[[], None]], AbstractContextManager[object]]
"""Makes what holds as long as something is waited for, and calls what ends it, if that is to be."""


def _to_its_end(end: Callable[[], None]) -> AbstractContextManager[object]:
    return nullcontext()


def environment() -> dict[str, str]:
    """What the processes know of ours: no keys, no tokens."""
    return {name: os.environ[name] for name in _KEPT_ENVIRONMENT if name in os.environ}


class Readers:
    """Reads documents, each in a process that reads nothing else meanwhile. Used by many threads."""

    def __init__(self) -> None:
        self._idle: list[Reader] = []
        self._changing = threading.Lock()
        self._places = threading.BoundedSemaphore(max(2, os.cpu_count() or 2))  # more of them read nothing sooner

    def read(self, body: bytes, timeout_s: float, until: Until = _to_its_end, **order: Any) -> dict[str, Any]:
        """The fields of a :class:`~generator.web.documents.Document`. Raises :class:`Unfetched`.

        `order` is what `read_document` takes besides the body; `until` may end the reading before.
        """
        with self._places:
            reader = self._take()
            with until(reader.kill):
                answer = reader.read(body, timeout_s, order)
            if reader.documents < _DOCUMENTS_EACH:
                with self._changing:
                    self._idle.append(reader)
            else:
                reader.end()
        if "document" not in answer:
            raise Unfetched(Outcome(answer["outcome"]), answer["reason"])
        document: dict[str, Any] = answer["document"]
        return document

    def _take(self) -> Reader:
        """One that waits for work, and has not ended meanwhile; else a new one."""
        with self._changing:
            while self._idle:
                reader = self._idle.pop()
                if reader.is_there:
                    return reader
                reader.end()
        return Reader()

    def close(self) -> None:
        """Ends the processes that have nothing to do."""
        with self._changing:
            idle, self._idle = self._idle, []
        for reader in idle:
            reader.end()


class Reader:
    """One process."""

    def __init__(self) -> None:
        self.documents = 0
        # -P: the current folder, which may hold anything, is no place to import from.
        self._process = subprocess.Popen(  # noqa: S603 - our own module
            [sys.executable, "-P", "-c", _START],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment(),
            start_new_session=True,  # Ctrl-C is for the run, which ends them when it has recorded what it has
        )
        self._orders = cast("IO[bytes]", self._process.stdin)
        self._answers = cast("IO[bytes]", self._process.stdout)

    @property
    def is_there(self) -> bool:
        """Whether the process lives."""
        return self._process.poll() is None

    def read(self, body: bytes, timeout_s: float, order: dict[str, Any]) -> dict[str, Any]:
        """The answer to one order. Raises :class:`Unfetched` where the process did not live to give it."""
        self.documents += 1
        timer = threading.Timer(timeout_s, self._process.kill)
        timer.daemon = True
        timer.start()
        line = b""
        try:
            self._orders.write(json.dumps({**order, "size": len(body)}).encode("ascii") + b"\n" + body)
            self._orders.flush()
            line = self._answers.readline()
        except OSError:  # it ended before it had read everything
            line = b""
        finally:
            is_late = not timer.is_alive()
            timer.cancel()
            if not line.endswith(b"\n"):
                self.end()
        if not line.endswith(b"\n"):
            if is_late:
                raise Unfetched(Outcome.TIMEOUT, f"reading it took longer than {timeout_s:g} s")
            raise Unfetched(Outcome.FAILED, "it cannot be read: the process that read it broke down")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def kill(self) -> None:
        """Kills the process while another thread waits for what it reads, and is told that it broke down."""
        self._process.kill()

    def end(self) -> None:
        """Ends the process, whatever it does."""
        self._process.kill()
        with self._process:  # which closes its pipes and waits for it
            pass


SHARED = Readers()
"""Those of this process: starting one takes a second, and they know nothing of who asks."""
atexit.register(SHARED.close)
