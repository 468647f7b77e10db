"""A server on loopback that speaks as language models' servers do, and says what a test lets it say."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from http.server import BaseHTTPRequestHandler
from typing import Any

from generator.research.compose.llm_api import Api, Model
from tests.web.server import Reply, Web, send, typed

KEY = "sk-loopback-4f2a9c0d1e77"
PATHS = {Api.OPENAI: "/v1/chat/completions", Api.ANTHROPIC: "/v1/messages"}
Point = dict[str, Any]
Say = Callable[[Mapping[str, Any]], list[Point]]
"""What a model answers to a section: the points of its JSON."""


def asked(body: bytes) -> Mapping[str, Any]:
    """The section that a request asks for."""
    found: Mapping[str, Any] = json.loads(json.loads(body)["messages"][-1]["content"])
    return found


def first_words(section: Mapping[str, Any]) -> list[Point]:
    """The good model: for each point the first sentence of each passage of prose, to the letter."""
    return [
        {
            "point": point["point"],
            "sentences": [
                {
                    "text": f"{passage['text'].split('. ')[0].replace('`', '').rstrip('.:')}.",
                    "passages": [passage["id"]],
                }
                for passage in point["passages"]
                if passage["kind"] == "prose"
            ],
        }
        for point in section["points"]
    ]


def each(text: str, passages: Sequence[str] | None = None) -> Say:
    """A model that says `text` on every point, and rests it on the first passage, or on `passages`."""

    def say(section: Mapping[str, Any]) -> list[Point]:
        return [
            {"point": p["point"], "sentences": [{"text": text, "passages": passages or [p["passages"][0]["id"]]}]}
            for p in section["points"]
            if p["passages"]
        ]

    return say


class Stub:
    """A server that speaks one API, as a stream."""

    def __init__(self, web: Web, api: Api, say: Say = first_words) -> None:
        self.web, self.api, self.say = web, api, say
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
        body = self.web.seen[-1].body
        points = json.dumps({"points": self.say(asked(body))})
        send(handler, self.reply(points))

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
