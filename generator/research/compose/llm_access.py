"""Find the language model to use, its address and its key. Keys come only from the environment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from urllib.parse import urlsplit


class Api(StrEnum):
    """The API format of a model's server."""

    OPENAI = "openai"
    """Chat completions, also offered by Ollama, vLLM, llama.cpp and many others."""
    ANTHROPIC = "anthropic"
    """The Messages API."""


OPENAI_URL = "https://api.openai.com/v1"
ANTHROPIC_URL = "https://api.anthropic.com"
_KEYS = {Api.OPENAI: "OPENAI_API_KEY", Api.ANTHROPIC: "ANTHROPIC_API_KEY"}
_URLS = {Api.OPENAI: ("OPENAI_BASE_URL", OPENAI_URL), Api.ANTHROPIC: ("ANTHROPIC_BASE_URL", ANTHROPIC_URL)}


class ModelError(ValueError):
    """No model is available; the message says what is missing."""


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
        parts = urlsplit(self.url)
        return f"{parts.hostname or ''}{f':{parts.port}' if parts.port else ''}"

    @property
    def is_official(self) -> bool:
        """True for the two services that the API formats are named after."""
        return self.url in {OPENAI_URL, ANTHROPIC_URL}


def find_model(environ: Mapping[str, str], name: str, url: str = "", api: str = "") -> Model:
    """Return the model of this name, as configured in the environment. Raises :class:`ModelError`.

    `url` comes from the project's configuration. No key is sent there unless the environment names the same address: a
    key is for the host that its owner chose, and a project with its configuration may come from anybody.
    """
    if not name.strip():
        raise ModelError("no language model is named: set `llm_model`")
    kind = _api(environ, name, url, api)
    variable, usual = _URLS[kind]
    own = _trimmed(environ.get(variable, ""), variable, kind) or usual
    there = _trimmed(url, "llm_url", kind) or own
    key = environ.get(_KEYS[kind], "").strip() if there in {own, usual} else ""
    if not key and there == usual:
        raise ModelError(f"{_KEYS[kind]} is not set; set it, or name a server of your own in `llm_url`")
    return Model(name.strip(), kind, there, key)


def _api(environ: Mapping[str, str], name: str, url: str, api: str) -> Api:
    if api:
        try:
            return Api(api)
        except ValueError:
            raise ModelError(f"`llm_api` is {api!r}; it may be {' or '.join(Api)}") from None
    if url:
        return Api.ANTHROPIC if urlsplit(url).hostname == urlsplit(ANTHROPIC_URL).hostname else Api.OPENAI
    has_openai = any(environ.get(variable) for variable in ("OPENAI_API_KEY", "OPENAI_BASE_URL"))
    has_anthropic = any(environ.get(variable) for variable in ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"))
    if has_anthropic and (not has_openai or name.strip().lower().startswith("claude")):
        return Api.ANTHROPIC
    if not has_openai:
        raise ModelError(
            "no language model can be asked: set OPENAI_API_KEY or ANTHROPIC_API_KEY, or name a server of your own in "
            "`llm_url`, such as http://localhost:11434/v1"
        )
    return Api.OPENAI


def _trimmed(url: str, where: str, api: Api) -> str:
    """Return the API's base URL, empty if none is given. Raises :class:`ModelError` if it is invalid."""
    trimmed = url.strip().rstrip("/").removesuffix("/chat/completions").removesuffix("/v1/messages")
    if not trimmed:
        return ""
    parts = urlsplit(trimmed)
    try:
        is_address = parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port is None or True)
    except ValueError:
        is_address = False
    if not is_address or parts.query or parts.fragment:
        raise ModelError(f"{where} must be an address such as http://localhost:11434/v1")
    if parts.username or parts.password:  # not reported: it may be a secret
        raise ModelError(f"{where} holds a user or a password; keys belong into {_KEYS[api]}")
    if api is Api.OPENAI and not parts.path:
        return f"{trimmed}/v1"
    return trimmed.removesuffix("/v1") if api is Api.ANTHROPIC else trimmed
