"""Language model APIs: model, address and key from the environment; requests and answers.

Sources: https://platform.openai.com/docs/api-reference/chat,
https://docs.anthropic.com/en/api/messages
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import threading
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeVar, cast
from urllib.parse import urlsplit

from planbook.research.drafts import Usage
from planbook.research.web.model import Call, Reply, Stream, Unanswered
from planbook.research.writers import Unwritten
from planbook.rules.credentials import find_credentials
from planbook.store import RefusedError

T = TypeVar("T")

ANTHROPIC_VERSION = "2023-06-01"
_FORM = "answer"
"""The name of the answer's schema in both APIs."""


class Api(StrEnum):
    """The API format of a model's server."""

    OPENAI = "openai"
    """Chat completions, also offered by Ollama, vLLM, llama.cpp and many others."""
    ANTHROPIC = "anthropic"
    """The Messages API."""


OPENAI_URL = "https://api.openai.com/v1"
ANTHROPIC_URL = "https://api.anthropic.com"
_KEYS = {Api.OPENAI: "OPENAI_API_KEY", Api.ANTHROPIC: "ANTHROPIC_API_KEY"}
_ADDRESS = re.compile(
    r"https?://(?P<user>[^\s/?#]*@)?(?:[\w.-]+|\[[\d:.a-f]+\])(?::\d{1,5})?(?P<path>/[^\s?#]*)?",
    re.IGNORECASE,
)
_URLS = {
    Api.OPENAI: ("OPENAI_BASE_URL", OPENAI_URL),
    Api.ANTHROPIC: ("ANTHROPIC_BASE_URL", ANTHROPIC_URL),
}


@dataclass(frozen=True, slots=True)
class Model:
    """A language model and the access to it."""

    name: str
    """The model's name at its server."""
    api: Api
    url: str
    """Base URL of the API, without a trailing slash."""
    key: str = field(default="", repr=False)
    """Empty if the server needs none."""

    @property
    def host(self) -> str:
        """Host with its port, if given: for messages."""
        return urlsplit(self.url).netloc

    @property
    def is_official(self) -> bool:
        """True for the two services that the API formats are named after."""
        return self.url in {OPENAI_URL, ANTHROPIC_URL}


def find_model(environ: Mapping[str, str], name: str, url: str = "") -> Model:
    """Return the model of this name, as configured in the environment.

    Raises :class:`RefusedError`.

    `url` comes from the project's configuration. No key is sent there unless the environment names
    the same address: a key is for the host that its owner chose, and a project's configuration may
    come from anybody.
    """
    if not name.strip():
        raise RefusedError("no language model is configured; set `llm_model`")
    api = _find_api(environ, name, url)
    variable, usual = _URLS[api]
    base_url = _base_url(environ.get(variable, ""), variable, api) or usual
    address = _base_url(url, "llm_url", api) or base_url
    key = environ.get(_KEYS[api], "").strip() if address in {base_url, usual} else ""
    if not key and address == usual:
        raise RefusedError(f"{_KEYS[api]} is not set; set it, or set `llm_url` to your own server")
    return Model(name.strip(), api, address, key)


def _find_api(environ: Mapping[str, str], name: str, url: str) -> Api:
    """Return the format of the API at an address, else that of the service with a key.

    Of two services with a key, a model called Claude is at Anthropic's.
    """
    if url:
        is_anthropic = urlsplit(url).hostname == urlsplit(ANTHROPIC_URL).hostname
        return Api.ANTHROPIC if is_anthropic else Api.OPENAI
    usable = [api for api in Api if environ.get(_KEYS[api]) or environ.get(_URLS[api][0])]
    if not usable:
        raise RefusedError(
            "no language model is available; set OPENAI_API_KEY or ANTHROPIC_API_KEY, or set your "
            "own server in `llm_url`, such as http://localhost:11434/v1"
        )
    is_claude = name.strip().lower().startswith("claude")
    return Api.ANTHROPIC if is_claude and Api.ANTHROPIC in usable else usable[0]


def _base_url(url: str, where: str, api: Api) -> str:
    """Return the API's base URL, empty if none is given.

    Raises :class:`RefusedError` if it is invalid.
    """
    trimmed = url.strip().rstrip("/").removesuffix("/chat/completions").removesuffix("/v1/messages")
    if not trimmed:
        return ""
    address = _ADDRESS.fullmatch(trimmed)
    if address is None:
        raise RefusedError(f"{where} must be an address such as http://localhost:11434/v1")
    if address["user"]:  # not reported: it may be a secret
        raise RefusedError(f"{where} contains a user or a password; put the key into {_KEYS[api]}")
    if api is Api.OPENAI and not address["path"]:
        return f"{trimmed}/v1"
    return trimmed.removesuffix("/v1") if api is Api.ANTHROPIC else trimmed


# --- requests -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Question:
    """A prompt for a model."""

    system: str
    text: str
    schema: Mapping[str, Any]
    """The JSON Schema of the answer."""
    max_tokens: int
    """Maximum length of the answer."""


def call_of(model: Model, question: Question, *, is_formed: bool, timeout_s: float) -> Call:
    """Return the API call for a question.

    With `is_formed`, the API must keep the answer to its schema.
    """
    if model.api is Api.OPENAI:
        path, headers, body = _openai(model, question, is_formed)
    else:
        path, headers, body = _anthropic(model, question, is_formed)
    return Call(
        model.url + path,
        "POST",
        headers=tuple(headers.items()),
        body={"model": model.name, "stream": True, **body},
        is_trusted=not model.is_official,
        timeout_s=timeout_s,
        spacing_s=0.0,  # the provider limits the rate of requests itself
    )


_Request = tuple[str, dict[str, str], dict[str, Any]]
"""The path, headers and body of a request."""


def _openai(model: Model, question: Question, is_formed: bool) -> _Request:
    """Return a request to chat completions."""
    # OpenAI's own models require the new name; most other servers know only the old one.
    limit = "max_completion_tokens" if model.is_official else "max_tokens"
    messages = [
        {"role": "system", "content": question.system},
        {"role": "user", "content": question.text},
    ]
    body: dict[str, Any] = {
        "messages": messages,
        limit: question.max_tokens,
        "stream_options": {"include_usage": True},
    }
    if is_formed:
        form = {"name": _FORM, "strict": True, "schema": question.schema}
        body["response_format"] = {"type": "json_schema", "json_schema": form}
    headers = {"Authorization": f"Bearer {model.key}"} if model.key else {}
    return "/chat/completions", headers, body


def _anthropic(model: Model, question: Question, is_formed: bool) -> _Request:
    """Return a request to the Messages API."""
    messages = [{"role": "user", "content": question.text}]
    body: dict[str, Any] = {
        "max_tokens": question.max_tokens,
        "system": question.system,
        "messages": messages,
    }
    if is_formed:  # the only "tool" is the schema of the answer; nothing is ever run
        form = {
            "name": _FORM,
            "description": "Submits the answer.",
            "input_schema": question.schema,
        }
        body |= {"tools": [form], "tool_choice": {"type": "tool", "name": _FORM}}
    key = {"x-api-key": model.key} if model.key else {}
    return "/v1/messages", {**key, "anthropic-version": ANTHROPIC_VERSION}, body


# --- answers --------------------------------------------------------------------------------------


COMPLETE_REASONS = frozenset({"stop", "end_turn", "tool_use", "stop_sequence"})
"""The reasons of both APIs for the end of a whole answer."""
TRUNCATED_REASONS = frozenset({"length", "max_tokens", "model_context_window_exceeded"})
"""Those for the end of an answer that is too long."""
REFUSAL_REASONS = frozenset({"content_filter", "refusal"})
"""Those for the end of an answer that the model does not give."""


@dataclass(frozen=True, slots=True)
class Completion:
    """A model's answer."""

    text: str
    end: str
    """The API's reason for its end; empty if its stream broke off."""
    note: str
    """The explanation if the answer is not whole."""
    tokens_in: int | None
    """Tokens of the prompt; ``None`` if the server does not report them."""
    tokens_out: int | None


def read_stream(lines: Iterable[str]) -> Completion:
    """Parse an answer from an event stream of either API; values of another form are ignored."""
    reader = _StreamReader()
    for line in lines:
        if line.startswith("data:"):
            reader.read(_decode_json(line.removeprefix("data:").strip()))
        if reader.error:
            break
    return reader.completion()


class _StreamReader:
    """Puts an answer together from the events of a stream."""

    def __init__(self) -> None:
        self.error = ""
        """The message that the server sent instead of going on."""
        self._text = self._refusal = self._end = ""
        self._tokens_in: int | None = None
        self._tokens_out: int | None = None

    def read(self, event: object) -> None:
        """Add an event."""
        if _at(event, "type") == "error" or _at(event, "error"):
            self.error = _error_message(event) or "the server reported an error"
            return
        choice = _at(event, "choices", 0)
        delta = _at(choice, "delta") or _at(event, "delta")
        for key in ("content", "text", "partial_json"):
            self._text += _text_at(delta, key)
        self._refusal += _text_at(delta, "refusal")
        self._end = str(_at(choice, "finish_reason") or _at(delta, "stop_reason") or self._end)
        usage = _at(event, "usage") or _at(event, "message", "usage")
        self._tokens_in = _total(usage, _TOKENS_IN, self._tokens_in)
        self._tokens_out = _total(usage, _TOKENS_OUT, self._tokens_out)

    def completion(self) -> Completion:
        """Return the answer."""
        end, note = self._end, "its stream broke off"
        if self.error:
            end, note = "error", self.error
        elif self._refusal:
            end, note = "refusal", self._refusal[:_MAX_ERROR_CHARS]
        elif end:
            note = f"it ended with {end[:_MAX_END_CHARS]}"
        return Completion(self._text, end, note, self._tokens_in, self._tokens_out)


_MAX_ERROR_CHARS = 200
"""Length to which messages of servers are cut."""
_MAX_END_CHARS = 40
"""Length to which an unknown reason for the end of an answer is cut."""


def _error_message(value: object) -> str:
    """Return the message of an error in either form; empty if it has none."""
    error = _at(value, "error") or value
    message = _at(error, "message") or error
    return " ".join(message.split())[:_MAX_ERROR_CHARS] if isinstance(message, str) else ""


def _decode_json(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


_TOKENS_IN = (
    "prompt_tokens",
    "input_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
)
"""Tokens read from or written to a cache are counted separately."""
_TOKENS_OUT = ("completion_tokens", "output_tokens")


def _total(usage: object, keys: Iterable[str], earlier_total: int | None) -> int | None:
    """Return the sum of the counts of an event that has some, else `earlier_total`."""
    counts = [_at(usage, key) for key in keys]
    known = [count for count in counts if isinstance(count, int)]
    return sum(known) if known else earlier_total


def _at(value: Any, *path: str | int) -> Any:
    """Return the value at a path of keys and indexes; ``None`` if there is none."""
    try:
        for key in path:
            value = value[key]
    except (KeyError, IndexError, TypeError):
        return None
    return value


def _text_at(value: object, key: str) -> str:
    text = _at(value, key)
    return text if isinstance(text, str) else ""


# --- asking ---------------------------------------------------------------------------------------

_TRIES = 2
_NO_FORMS = frozenset({400, 404, 415, 422, 501})
"""Statuses of servers that do not support structured output."""
_REFUSED_KEY = frozenset({401, 403})
_CHARACTERS_A_TOKEN = 4
"""Approximate characters per token; for servers that report no usage."""
_END_OF_THOUGHT = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
_THOUGHTS = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class AnswerStore:
    """Keeps answers by the content of their requests, so that none is asked for twice."""

    load: Callable[[str], bytes | None] = lambda name: None
    save: Callable[[str, bytes], None] = lambda name, content: None


class ModelClient:
    """Asks a model, and counts what that costs.

    Thread-safe; its creator reads `usage` when all is done.
    """

    def __init__(
        self, model: Model, stream: Stream, stored_answers: AnswerStore, timeout_s: float = 300.0
    ) -> None:
        self.model = model
        self._stream, self._kept = stream, stored_answers
        self._timeout_s = timeout_s
        self.usage = Usage()
        self._lock = threading.Lock()
        self._is_formed = True
        """True unless the server is known not to support structured output."""

    def kept(self, question: tuple[str, str]) -> Any:
        """Return what was kept of this model's answer to a part of a request, if anything."""
        raw = self._kept.load(self._place(question))
        return json.loads(raw) if raw else None

    def keep(self, question: tuple[str, str], answer: object) -> None:
        """Keep this model's answer to a part of a request."""
        self._kept.save(self._place(question), json.dumps(answer, ensure_ascii=False).encode())

    def _place(self, question: tuple[str, str]) -> str:
        return _answer_name(json.dumps([self.model.name, self.model.url, *question]))

    def ask(self, question: Question, read: Callable[[Any], T], task: str) -> T:
        """Return what `read` makes of the JSON of the model's answer.

        If `read` raises ValueError, the model is asked once more; only a valid answer is kept.

        Raises:
            Unwritten: The model does not answer, refuses, or its answer is incomplete or invalid.
                `task` names the request in the message.
        """
        asked = [self.model.name, self.model.url, question.system, question.text, question.schema]
        name = _answer_name(json.dumps(asked, sort_keys=True))
        stored_answer = self._kept.load(name)
        if stored_answer:
            return read(json.loads(stored_answer))
        why = ""
        for _ in range(_TRIES):
            try:
                value = json_in(self._answer(question, task))
                result = read(value)
            except ValueError as error:
                why = str(error)
                continue
            text = json.dumps(value, ensure_ascii=False)
            if not find_credentials(text):
                self._kept.save(name, text.encode())
            return result
        raise self._unwritten(f"{why}, in {task}, also when asked again")

    def _answer(self, question: Question, task: str) -> str:
        """Return a complete answer."""
        answer = self._request(question)
        sent = len(question.system) + len(question.text)
        tokens_in = _token_count(answer.tokens_in, sent)
        tokens_out = _token_count(answer.tokens_out, len(answer.text))
        self._count(Usage(1, tokens_in, tokens_out))
        if answer.end in COMPLETE_REASONS:
            return answer.text
        if answer.end in TRUNCATED_REASONS:
            why = f"its answer to {task} was cut off after {question.max_tokens} tokens"
            raise self._unwritten(why)
        is_refused = answer.end in REFUSAL_REASONS
        reason = f"it refuses {task}" if is_refused else f"its answer to {task} is incomplete"
        raise self._unwritten(reason + self._note(answer.note))

    def _request(self, question: Question) -> Completion:
        """Send a question with the JSON schema of the answer, if the server supports that."""
        is_formed = self._is_formed
        call = call_of(self.model, question, is_formed=is_formed, timeout_s=self._timeout_s)
        try:
            # An answer may be abandoned before its end.
            with closing(cast("Generator[str]", self._stream(call))) as lines:
                return read_stream(lines)
        except Unanswered as error:
            self._count(Usage(error.reply.requests))
            if is_formed and error.reply.status_code in _NO_FORMS:
                self._is_formed = False
                return self._request(question)
            raise self._unanswered(error.reply) from None

    def _count(self, usage: Usage) -> None:
        with self._lock:
            self.usage += usage

    def _unanswered(self, reply: Reply) -> Unwritten:
        """Return why no page is written: the server has not answered."""
        is_key_refused = reply.status_code in _REFUSED_KEY
        if is_key_refused:  # the server's message may then contain part of the key
            reason = "the key was refused" if self.model.key else "it requires a key"
            why = f"{reason} ({reply.reason})"
        else:
            message = _error_message(_decode_json(reply.body.decode("utf-8", errors="replace")))
            outcome = reply.outcome.value.replace("_", " ")
            why = f"{outcome}: {reply.reason}{self._note(message)}"
        has_answered = self.usage.tokens_out > 0
        is_reached = has_answered or (reply.status_code is not None and not is_key_refused)
        return self._unwritten(why, is_reached=is_reached)

    def _note(self, text: str) -> str:
        """Return an API's message in brackets, without the key."""
        if self.model.key:
            text = text.replace(self.model.key, "[hidden]")
        return f" (“{text}”)" if text else ""

    def _unwritten(self, why: str, *, is_reached: bool = True) -> Unwritten:
        where = f"the model {self.model.name} at {self.model.host}"
        return Unwritten(f"{where}: {why}", self.usage, is_reached=is_reached)


def _answer_name(request: str) -> str:
    """Return the name under which the answer to a request is kept."""
    return f"answers/{hashlib.sha256(request.encode()).hexdigest()}.json"


def json_in(text: str) -> Any:
    """Return the first JSON object or list in a model's answer. Raises ValueError."""
    stop = max((end.end() for end in _END_OF_THOUGHT.finditer(text)), default=0)
    # Only where a thought ends can one have begun: a text without an end is read as it is.
    text = _THOUGHTS.sub("", text[:stop]) + text[stop:]
    start = re.search(r"[{\[]\s*[{\"\[\]}]", text)
    if start is None:
        raise ValueError("its answer contains no JSON")
    try:
        return json.JSONDecoder().raw_decode(text, start.start())[0]
    except (ValueError, RecursionError):
        raise ValueError("the JSON of its answer is incomplete") from None


def list_in(value: Any, key: str) -> list[Any]:
    """Return the list under a key of a model's answer. Raises ValueError."""
    rows = value.get(key) if isinstance(value, dict) else None
    if not isinstance(rows, list):
        raise ValueError(f"its answer has no list of {key}")
    return rows


def json_object(**properties: object) -> dict[str, object]:
    """Return the JSON Schema of an object that has exactly these properties."""
    closed = {"required": list(properties), "additionalProperties": False}
    return {"type": "object", "properties": properties, **closed}


def _token_count(tokens: int | None, characters: int) -> int:
    """Return the tokens that a server has counted, else about so many as characters make."""
    return math.ceil(characters / _CHARACTERS_A_TOKEN) if tokens is None else tokens
