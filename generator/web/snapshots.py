"""What is kept of a fetch, and under which names. Pure: `store` writes it, and what it reads comes back here.

A text lies at ``snapshots/<sha256>.txt``, named by its own bytes: the same text is kept once, and no file ever changes.
The response that it was found in lies at ``responses/<sha256 of the body>.warc.gz``, so that it can be found again.
What an address gave last lies at ``fetched/<sha256 of the address>.json``, and names the others; what has moved for
good lies there under its new address too.
What an API answered to a call lies at ``calls/<sha256 of the call>.json``.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace

from generator.web.model import Call, Fetched, Origin, Outcome, Reply
from generator.web.warc import Exchange, write_warc

RESPONSES = "responses/"
Read = Callable[[str], bytes | None]
"""Gives a kept file by its name, or ``None`` where there is none."""


def record_name(url: str) -> str:
    """Where it is told what `url` gave."""
    return f"fetched/{_digest(url.partition('#')[0].encode('utf-8'))}.json"


def text_name(sha256: str) -> str:
    """Where the text of this hash lies."""
    return f"snapshots/{sha256}.txt"


def response_name(sha256: str) -> str:
    """Where the response lies whose body has this hash."""
    return f"{RESPONSES}{sha256}.warc.gz"


def kept_files(fetched: Fetched, exchanges: Sequence[Exchange] = ()) -> dict[str, bytes]:
    """The files to keep, by name, the one that names the others last; none where there is no text."""
    if not fetched.text:
        return {}
    responses = {response_name(exchanges[-1].sha256): write_warc(exchanges)} if exchanges else {}
    texts = {field: getattr(fetched, field).encode("utf-8") for field in ("text", "visible")}
    names = {field: _digest(content) for field, content in texts.items()}
    files = {text_name(_digest(content)): content for content in texts.values()}
    records = {record_name(one.url): _record(one, names) for one in (*_at_new_address(fetched), fetched)}
    return {**responses, **files, **records}


def _at_new_address(fetched: Fetched) -> tuple[Fetched, ...]:
    """What moved for good, as its new address gave it: pages cite it by that one, and so it has to be found."""
    if not fetched.moved_to:
        return ()
    return (replace(fetched, url=fetched.moved_to.partition("#")[0], outcome=Outcome.OK, moved_to=None),)


def _record(fetched: Fetched, texts: Mapping[str, str]) -> bytes:
    lines = json.dumps({**asdict(fetched), **texts}, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
    return lines.encode("utf-8")


def read_kept(url: str, read: Read) -> Fetched | None:
    """What `url` gave when it last gave a text; ``None`` where nothing, or nothing whole, is kept."""
    raw = read(record_name(url))
    if raw is None:
        return None
    try:
        record = json.loads(raw)
        texts = {field: read(text_name(record[field])) for field in ("text", "visible")}
        whole = {field: content.decode("utf-8") for field, content in texts.items() if content is not None}
        is_true = all(_digest(content or b"") == record[field] for field, content in texts.items())
        origin = record["origin"] and Origin(**{**record["origin"], "lines": None})
        values = {**record, **whole, "outcome": Outcome(record["outcome"]), "origin": origin}
        return Fetched(**values) if is_true else None
    except (KeyError, TypeError, ValueError):
        return None  # written by another version, or spoilt: as good as not there


def reply_name(call: Call) -> str:
    """Where the answer to this call lies: by what is asked of whom, whatever the key."""
    forms = [value for name, value in call.headers if name.lower() == "accept"]
    asked = [call.method, call.url, call.params, None if call.body is None else dict(call.body), forms]
    return f"calls/{_digest(json.dumps(asked, sort_keys=True).encode('ascii'))}.json"


def kept_reply(reply: Reply, asked: str) -> bytes:
    """An API's answer, to be kept; of its headers, only what its body is."""
    kind = {name: value for name, value in reply.headers.items() if name == "content-type"}
    body = base64.b64encode(reply.body).decode("ascii")
    return json.dumps({"asked": asked, "body": body, "headers": kind, "status": reply.status}).encode("ascii")


def read_reply(raw: bytes | None) -> tuple[Reply, str] | None:
    """A kept answer, and when it was given; ``None`` where it cannot be read."""
    if raw is None:
        return None
    try:
        kept = json.loads(raw)
        body = base64.b64decode(kept["body"], validate=True)
        return Reply(Outcome.OK, "", kept["status"], kept["headers"], body), str(kept["asked"])
    except (KeyError, TypeError, ValueError):
        return None


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
