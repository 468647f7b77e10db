"""Names and contents of archived files. Pure: `store` writes them, and this module parses them again.

A text is stored at ``snapshots/<sha256>.txt``, named by its content: stored once, and no file ever changes.
The response it was extracted from is at ``responses/<sha256 of the body>.warc.gz``, so that it can be extracted again.
The last result for a URL is at ``fetched/<sha256 of the URL>.json``, and names the others; a page that has moved
permanently is recorded under its new URL too.
An API's reply to a call is at ``calls/<sha256 of the call>.json``.
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
"""Returns an archived file by its name, or ``None`` if there is none."""


def record_name(url: str) -> str:
    """Return the path of the record of `url`."""
    return f"fetched/{_digest(url.partition('#')[0].encode('utf-8'))}.json"


def text_name(sha256: str) -> str:
    """Return the path of the text with this hash."""
    return f"snapshots/{sha256}.txt"


def response_name(sha256: str) -> str:
    """Return the path of the response whose body has this hash."""
    return f"{RESPONSES}{sha256}.warc.gz"


def kept_files(fetched: Fetched, exchanges: Sequence[Exchange] = ()) -> dict[str, bytes]:
    """Return the files to store by name, the one that names the others last; none if there is no text."""
    if not fetched.text:
        return {}
    responses = {response_name(exchanges[-1].sha256): write_warc(exchanges)} if exchanges else {}
    texts = {field: getattr(fetched, field).encode("utf-8") for field in ("text", "visible")}
    names = {field: _digest(content) for field, content in texts.items()}
    files = {text_name(_digest(content)): content for content in texts.values()}
    records = {record_name(one.url): _record(one, names) for one in (*_at_new_address(fetched), fetched)}
    return {**responses, **files, **records}


def _at_new_address(fetched: Fetched) -> tuple[Fetched, ...]:
    """Return a permanently moved result as one of its new URL too: pages cite that one, so it must be found."""
    if not fetched.moved_to:
        return ()
    return (replace(fetched, url=fetched.moved_to.partition("#")[0], outcome=Outcome.OK, moved_to=None),)


def _record(fetched: Fetched, texts: Mapping[str, str]) -> bytes:
    lines = json.dumps({**asdict(fetched), **texts}, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
    return lines.encode("utf-8")


def read_kept(url: str, read: Read) -> Fetched | None:
    """Return the last text recorded for `url`; ``None`` if there is none or it is incomplete."""
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
        return None  # written by another version, or corrupt: the same as missing


def reply_name(call: Call) -> str:
    """Return the path of the reply to this call, which depends on the host and the request but not on the key."""
    forms = [value for name, value in call.headers if name.lower() == "accept"]
    asked = [call.method, call.url, call.params, None if call.body is None else dict(call.body), forms]
    return f"calls/{_digest(json.dumps(asked, sort_keys=True).encode('ascii'))}.json"


def kept_reply(reply: Reply, asked: str) -> bytes:
    """Serialize an API's reply for the archive, with only those of its headers that describe the body."""
    kind = {name: value for name, value in reply.headers.items() if name == "content-type"}
    body = base64.b64encode(reply.body).decode("ascii")
    return json.dumps({"asked": asked, "body": body, "headers": kind, "status": reply.status}).encode("ascii")


def read_reply(raw: bytes | None) -> tuple[Reply, str] | None:
    """Return an archived reply and its time; ``None`` if it cannot be read."""
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
