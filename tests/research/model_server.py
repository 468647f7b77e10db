"""A server on loopback that speaks as language models' servers do, and says what a test lets it say."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler
from typing import Any

from planbook.research.writers.llm_api import Api, Model
from tests.research.web.server import Reply, Web, send, typed

KEY = "sk-loopback-4f2a9c0d1e77"
PATHS = {Api.OPENAI: "/v1/chat/completions", Api.ANTHROPIC: "/v1/messages"}
Answer = Mapping[str, Any]
Say = Callable[[Mapping[str, Any]], Answer]
"""What a model answers to the JSON of a request."""


def asked(body: bytes) -> Mapping[str, Any]:
    """The JSON that a request consists of."""
    found: Mapping[str, Any] = json.loads(json.loads(body)["messages"][-1]["content"])
    return found


def first_words(section: Mapping[str, Any]) -> Answer:
    """A good writer: for each point the first sentence of its best passages of prose, each with itself as its quote."""
    return _each_point(
        section, lambda passage: _said(passage["text"].replace("`", "").partition("\n")[0].split(". ")[0], passage)
    )


def each(text: str, quote: str = "") -> Say:
    """A writer that says `text` on every point, with the beginning of the best passage as its quote, or `quote`."""

    def say(section: Mapping[str, Any]) -> Answer:
        return _each_point(section, lambda passage: {**_said(quote or _start(passage), passage), "text": text}, 1)

    return say


def _each_point(section: Mapping[str, Any], say: Callable[[Mapping[str, Any]], Answer], count: int = 2) -> Answer:
    known = {passage["id"]: passage for passage in section["passages"]}
    points = []
    for point in section["points"]:
        prose = [known[name] for name in point["passages"].split() if known[name]["kind"] == "prose"]
        points.append({"point": point["point"], "sentences": [say(passage) for passage in prose[:count]]})
    return {"lead": [], "points": points}


def _start(passage: Mapping[str, Any]) -> str:
    return " ".join(passage["text"].split()[:12])


def _said(words: str, passage: Mapping[str, Any]) -> Answer:
    words = " ".join(words.replace("**", "").split()).rstrip(".:")
    return {"text": f"{words}.", "evidence": [{"p": passage["id"], "q": words}], "show": ""}


def confirms(asked: Mapping[str, Any]) -> Answer:
    """A judge that finds everything supported."""
    return {"verdicts": [{"id": item["id"], "reason": "", "verdict": "supported"} for item in asked["items"]]}


def gives_up(asked: Mapping[str, Any]) -> Answer:
    """A writer that drops every sentence that failed."""
    return {"sentences": [{"id": one["id"], "text": "", "evidence": []} for one in asked["sentences"]]}


def good(asked: Mapping[str, Any]) -> Answer:
    """A model that does well what it is asked, whatever it is."""
    return confirms(asked) if "items" in asked else gives_up(asked) if "sentences" in asked else first_words(asked)


class Stub:
    """A server that speaks one API, as a stream."""

    def __init__(
        self, web: Web, api: Api, say: Say = first_words, *, judge: Say = confirms, again: Say = gives_up
    ) -> None:
        self.web, self.api, self.say, self.judge, self.again = web, api, say, judge, again
        self.url = web.url("/v1" if api is Api.OPENAI else "")
        web.put(PATHS[api], self._answer)

    @property
    def model(self) -> Model:
        """The way to it."""
        return Model("stub-1", self.api, self.url, KEY)

    @property
    def bodies(self) -> list[dict[str, Any]]:
        """What it was sent."""
        return [json.loads(seen.body) for seen in self.web.seen if seen.path == PATHS[self.api]]

    def _answer(self, handler: BaseHTTPRequestHandler) -> None:
        request = json.loads(self.web.own.body)
        given = json.loads(request["messages"][-1]["content"])
        say = self.judge if "items" in given else self.again if "sentences" in given else self.say
        send(handler, self.reply(json.dumps(say(given))))

    def reply(self, text: str, *, end: str = "", refusal: str | None = None) -> Reply:
        """An answer in the API's form: 100 tokens in, 10 out."""
        make = _openai if self.api is Api.OPENAI else _anthropic
        return typed("".join(f"{line}\n" for line in make(text, end, refusal)).encode(), "text/event-stream")


def _openai(text: str, end: str, refusal: str | None) -> list[str]:
    usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
    half = len(text) // 2
    events: list[Any] = [
        {"choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": None}]},
        {"choices": [{"index": 0, "delta": {"content": text[:half]}, "finish_reason": None}], "usage": None},
        {"choices": [{"index": 0, "delta": {"content": text[half:], "refusal": refusal}, "finish_reason": None}]},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": end or "stop"}]},
        {"choices": [], "usage": usage},
    ]
    return [line for event in events for line in (f"data: {json.dumps(event)}", "")] + ["data: [DONE]", ""]


def _anthropic(text: str, end: str, refusal: str | None) -> list[str]:
    stop = end or ("refusal" if refusal else "tool_use")
    try:
        block: dict[str, Any] = {"type": "tool_use", "id": "t1", "name": "answer", "input": json.loads(text)}
    except ValueError:
        block = {"type": "text", "text": text}
    usage = {"input_tokens": 90, "cache_read_input_tokens": 10, "output_tokens": 10}
    half = len(text) // 2
    events: list[Any] = [
        {"type": "message_start", "message": {"content": [], "usage": {**usage, "output_tokens": 1}}},
        {"type": "content_block_start", "index": 0, "content_block": {**block, "input": {}}},
        {"type": "ping"},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": text[:half]}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": text[half:]}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": stop}, "usage": {"output_tokens": 10}},
        {"type": "message_stop"},
    ]
    return [line for e in events for line in (f"event: {e['type']}", f"data: {json.dumps(e)}", "")]
