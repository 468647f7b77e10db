"""A server on loopback that speaks OpenAI's API, and answers from a record, or from whoever plays the model.

A request without a recorded answer becomes the file ``MODEL/NNN.request.md`` of a folder. The server waits until
``NNN.answer.json`` is beside it, returns that to the client, and records it.
"""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path
from typing import Any

from planbook.research.writers.llm_api import Api, Model, json_in

Record = dict[str, Any]
"""A recorded answer: ``key``, ``model``, ``by``, ``date``, ``asked``, ``answer``."""
_POLL_S, _SETTLED_S = 1.0, 2.0
_HEAD = """\
# Request {name}

You are the model. Read everything below, and write your answer, one JSON object in the form that is asked for and
nothing else, into the file `{answer}` in this folder.

## System

"""


def request_key(asked: Mapping[str, Any]) -> str:
    """Return the key of a request: its content without the passages, so that records need not keep them all."""
    points = [{key: point[key] for key in point if key != "passages"} for point in asked.get("points", [])]
    rest = {
        **{key: value for key, value in asked.items() if key != "passages"},
        **({"points": points} if points else {}),
    }
    return hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()[:16]


def read_records(files: Iterable[Path]) -> list[Record]:
    """Return the recorded answers in files with one JSON object a line."""
    return [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines() if line]


def compact(record: Record) -> Record:
    """Return a record with only what tests need: no sentences to judge, and of passages those that the answer names."""
    asked, text = record["asked"], json.dumps(record["answer"])
    if "items" in asked:
        return {key: value for key, value in record.items() if key != "asked"}
    named = [one for one in asked["passages"] if f'"{one["id"]}"' in text]
    return {**record, "asked": {**asked, "passages": named}}


class ModelServer:
    """Answers requests from a record; others wait for a player if there is a folder for them, else they fail."""

    def __init__(self, records: Iterable[Record] = (), play: Path | None = None, by: str = "") -> None:
        self._answers = {record["key"]: record["answer"] for record in records}
        self._play, self._by, self._lock = play, by, threading.Lock()
        self._asked: set[str] = set()
        self.missing: list[Mapping[str, Any]] = []
        """Requests that had no answer."""

    def answer(self, body: Mapping[str, Any]) -> str | None:
        """Return the answer to a request; ``None`` if there is none."""
        system, text = (message["content"] for message in body["messages"])
        asked, model = json.loads(text), str(body["model"])
        key = request_key(asked)
        with self._lock:
            is_again = key in self._asked  # its answer was not valid
            self._asked.add(key)
        if key in self._answers and not (is_again and self._play):
            return json.dumps(self._answers[key], ensure_ascii=False)
        if self._play is None:
            self.missing.append(asked)
            return None
        answer = self._ask_player(self._play / model, f"{system}\n\n## Message\n\n```json\n{text}\n```\n")
        try:
            value = json_in(answer)
        except ValueError:
            return answer  # the client asks again
        self._answers[key] = value
        facts = {"key": key, "model": model, "by": self._by, "date": datetime.now(UTC).date().isoformat()}
        line = json.dumps({**facts, "asked": asked, "answer": value}, ensure_ascii=False)
        with self._lock, (self._play / "records.jsonl").open("a", encoding="utf-8") as file:
            file.write(line + "\n")
        return answer

    def _ask_player(self, folder: Path, text: str) -> str:
        folder.mkdir(parents=True, exist_ok=True)
        for name in (f"{number:03}" for number in count(1)):
            with suppress(FileExistsError), (folder / f"{name}.request.md").open("x", encoding="utf-8") as request:
                request.write(_HEAD.format(name=name, answer=f"{name}.answer.json") + text)
                break
        files = [folder / f"{name}.answer.json", folder / f"{name}.answer.md"]
        while True:
            for file in files:
                if file.is_file() and file.stat().st_size and time.time() - file.stat().st_mtime > _SETTLED_S:
                    return file.read_text(encoding="utf-8")
            time.sleep(_POLL_S)

    @contextmanager
    def serve(self, port: int = 0) -> Iterator[str]:
        """Serve until the end of the block; yield the base URL."""
        server = _Server(("127.0.0.1", port), _handler(self))
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/v1"
        finally:
            server.shutdown()
            server.server_close()


class _Server(ThreadingHTTPServer):
    """Takes as many connections at the same time as the client opens."""

    request_queue_size = 256


def played_model(name: str, url: str) -> Model:
    """Return the model of this name at a server."""
    return Model(name, Api.OPENAI, url)


def _handler(models: ModelServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        """Answers one request as an event stream."""

        def do_POST(self) -> None:
            """Answer."""
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            text = models.answer(body)
            if text is None:
                self.send_error(404, "no recorded answer")
                return
            size = sum(len(message["content"]) for message in body["messages"])
            usage = {"prompt_tokens": size // 4, "completion_tokens": len(text) // 4}
            events: list[Mapping[str, Any]] = [
                {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]},
                {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}], "usage": usage},
            ]
            lines = "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            self.wfile.write(lines.encode())

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    return Handler
