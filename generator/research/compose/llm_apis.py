"""Request and response formats of the two language model APIs. Pure.

Sources: https://platform.openai.com/docs/api-reference/chat, https://docs.anthropic.com/en/api/messages
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from generator.research.compose.llm_access import Api, Model
from generator.web.model import Call

ANTHROPIC_VERSION = "2023-06-01"
_FORM = "answer"
"""The name of the answer's schema in both APIs."""


class FinishReason(StrEnum):
    """The reason why an answer ended."""

    WHOLE = "whole"
    CUT = "cut"
    """The answer reached the maximum length."""
    REFUSED = "refused"
    """The model or its provider refused to answer."""
    BROKEN = "broken"
    """Any other reason, described by the note."""


@dataclass(frozen=True, slots=True)
class Question:
    """A prompt for a model."""

    system: str
    text: str
    schema: Mapping[str, Any]
    """The JSON Schema of the answer."""
    max_tokens: int
    """Maximum length of the answer."""


@dataclass(frozen=True, slots=True)
class Completion:
    """A model's answer."""

    text: str = ""
    end: FinishReason = FinishReason.BROKEN
    note: str = ""
    """The API's explanation if the answer is not complete."""
    tokens_in: int | None = None
    """Tokens of the prompt; ``None`` if the server does not report them."""
    tokens_out: int | None = None


def call_of(model: Model, question: Question, *, is_formed: bool, is_stream: bool, timeout_s: float) -> Call:
    """Return the API call for a question. With `is_formed`, the API must keep the answer to its schema."""
    make = _openai_body if model.api is Api.OPENAI else _anthropic_body
    path = "/chat/completions" if model.api is Api.OPENAI else "/v1/messages"
    return Call(
        model.url + path,
        "POST",
        headers=_headers(model),
        body={**make(model, question, is_formed), "stream": is_stream, **_usage_wanted(model, is_stream)},
        is_trusted=not model.is_official,
        timeout_s=timeout_s,
        spacing_s=0.0,  # the provider limits the rate of requests itself
    )


def _headers(model: Model) -> tuple[tuple[str, str], ...]:
    if model.api is Api.OPENAI:
        return (("Authorization", f"Bearer {model.key}"),) if model.key else ()
    version = ("anthropic-version", ANTHROPIC_VERSION)
    return (("x-api-key", model.key), version) if model.key else (version,)


def _usage_wanted(model: Model, is_stream: bool) -> dict[str, Any]:
    return {"stream_options": {"include_usage": True}} if model.api is Api.OPENAI and is_stream else {}


def _openai_body(model: Model, question: Question, is_formed: bool) -> dict[str, Any]:
    # OpenAI's own models require the new name; most other servers know only the old one.
    limit = "max_completion_tokens" if model.is_official else "max_tokens"
    messages = [{"role": "system", "content": question.system}, {"role": "user", "content": question.text}]
    form = {"name": _FORM, "strict": True, "schema": question.schema}
    formed = {"response_format": {"type": "json_schema", "json_schema": form}} if is_formed else {}
    return {"model": model.name, "messages": messages, limit: question.max_tokens, **formed}


def _anthropic_body(model: Model, question: Question, is_formed: bool) -> dict[str, Any]:
    # The only "tool" is the schema of the answer; nothing is ever run.
    form = {"name": _FORM, "description": "Hands in the answer.", "input_schema": question.schema}
    formed = {"tools": [form], "tool_choice": {"type": "tool", "name": _FORM}} if is_formed else {}
    messages = [{"role": "user", "content": question.text}]
    return {
        "model": model.name,
        "max_tokens": question.max_tokens,
        "system": question.system,
        "messages": messages,
        **formed,
    }


# --- answers -----------------------------------------------------------------------------------------------------


def read_reply(api: Api, body: str) -> Completion:
    """Parse an answer from a JSON body."""
    value = _decoded(body)
    if not isinstance(value, dict):
        return Completion(note="what came is no JSON object")
    return _step(api)(Completion(), _as_event(api, value))


def read_stream(api: Api, lines: Iterable[str]) -> Completion:
    """Parse an answer from an event stream, or from plain JSON, which some servers send anyway.

    A truncated answer is broken, however much of it was received.
    """
    answer, step, others = Completion(), _step(api), []
    for line in lines:
        if not line.startswith("data:"):
            others.append(line)
            continue
        event = _decoded(line.removeprefix("data:").strip())
        if isinstance(event, dict):
            answer = step(answer, event)
        if answer.end is FinishReason.BROKEN and answer.note:
            return answer
    if answer == Completion() and (plain := "\n".join(others).strip()).startswith("{"):
        return read_reply(api, plain)
    return answer if answer.end is not FinishReason.BROKEN else replace(answer, note="its stream broke off")


def error_of(body: bytes) -> str:
    """Return the message in the body of an error response; empty if there is none."""
    value = _decoded(body.decode("utf-8", errors="replace"))
    error = value.get("error", value) if isinstance(value, dict) else value
    message = error.get("message") if isinstance(error, dict) else error
    return " ".join(str(message or "").split())[:200] if isinstance(message, str) else ""


def _decoded(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _step(api: Api) -> Callable[[Completion, Mapping[str, Any]], Completion]:
    return _openai_step if api is Api.OPENAI else _anthropic_step


def _as_event(api: Api, value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Convert a complete answer to a single event."""
    return {**value, "type": "whole"} if api is Api.ANTHROPIC and value.get("type") == "message" else value


def _openai_step(answer: Completion, event: Mapping[str, Any]) -> Completion:
    if event.get("error"):
        return replace(
            answer, end=FinishReason.BROKEN, note=error_of(json.dumps(event).encode()) or "it told of an error"
        )
    usage = _mapping(event.get("usage"))
    answer = replace(
        answer,
        tokens_in=_number(usage.get("prompt_tokens"), answer.tokens_in),
        tokens_out=_number(usage.get("completion_tokens"), answer.tokens_out),
    )
    choice = next(_mappings(event.get("choices")), {})
    message = _mapping(choice.get("delta")) or _mapping(choice.get("message"))
    answer = replace(answer, text=answer.text + _text(message.get("content")))
    if refusal := _text(message.get("refusal")):
        answer = replace(answer, end=FinishReason.REFUSED, note=(answer.note + refusal)[:200])
    reason = choice.get("finish_reason")
    if reason and answer.end is not FinishReason.REFUSED:
        ends = {"stop": FinishReason.WHOLE, "length": FinishReason.CUT, "content_filter": FinishReason.REFUSED}
        end = ends.get(str(reason), FinishReason.BROKEN)
        answer = replace(answer, end=end, note="" if end is FinishReason.WHOLE else f"it ended with {str(reason)[:40]}")
    return answer


def _anthropic_step(answer: Completion, event: Mapping[str, Any]) -> Completion:
    kind = event.get("type")
    if kind == "error" or event.get("error"):
        return replace(
            answer, end=FinishReason.BROKEN, note=error_of(json.dumps(event).encode()) or "it told of an error"
        )
    usage = _mapping(event.get("usage")) or _mapping(_mapping(event.get("message")).get("usage"))
    answer = replace(
        answer,
        tokens_in=_number(_input_tokens(usage), answer.tokens_in),
        tokens_out=_number(usage.get("output_tokens"), answer.tokens_out),
    )
    if kind == "whole":
        texts = [json.dumps(b["input"]) if "input" in b else _text(b.get("text")) for b in _mappings(event["content"])]
        return _anthropic_end(replace(answer, text="".join(texts)), event.get("stop_reason"))
    if kind == "content_block_delta":
        delta = _mapping(event.get("delta"))
        return replace(answer, text=answer.text + _text(delta.get("text")) + _text(delta.get("partial_json")))
    if kind == "message_delta":
        return _anthropic_end(answer, _mapping(event.get("delta")).get("stop_reason"))
    return answer


def _anthropic_end(answer: Completion, reason: object) -> Completion:
    ends = {"end_turn": FinishReason.WHOLE, "tool_use": FinishReason.WHOLE, "stop_sequence": FinishReason.WHOLE}
    ends |= {
        "max_tokens": FinishReason.CUT,
        "model_context_window_exceeded": FinishReason.CUT,
        "refusal": FinishReason.REFUSED,
    }
    end = ends.get(str(reason), FinishReason.BROKEN)
    return replace(answer, end=end, note="" if end is FinishReason.WHOLE else f"it ended with {str(reason)[:40]}")


def _input_tokens(usage: Mapping[str, Any]) -> int | None:
    """Return the number of input tokens, with those read from or written to a cache, which are counted separately."""
    keys = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    counts = [usage[key] for key in keys if isinstance(usage.get(key), int)]
    return sum(counts) if counts else None


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _mappings(value: object) -> Iterator[Mapping[str, Any]]:
    return (one for one in value if isinstance(one, dict)) if isinstance(value, list) else iter(())


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _number(value: object, before: int | None) -> int | None:
    return value if isinstance(value, int) and value >= 0 else before
