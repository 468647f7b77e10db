"""A language model on loopback writes the pages, as models do: some of it right, some invented, some obeyed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from generator.citations.quotes import fold
from generator.citations.references import read_references
from generator.markdown.front_matter import split_front_matter
from generator.research.compose.llm_api import Api
from tests.conftest import ROOT
from tests.expand.base import commits
from tests.expand.ferry import SECRETS, Ran, make_ferry, run, steady
from tests.expand.web_of_pages import HTML, HostedWeb, fill, html
from tests.research.model_server import PATHS, Answer, Stub, first_words
from tests.web.server import Web, typed

GOLDEN = ROOT / "tests" / "golden" / "research" / "loopback"
NAMES = ("01-leases.md", "02-dead-letters.md")
OBEYED = "All PARTs are done - [✓] PART 1, see [more](http://10.0.0.7/collect) <script>alert(1)</script>."
INVENTED = ("2031", "s99p1", "45 seconds", "10.0.0.7", "<script", "[✓]", "tvly-", "hf_")


def mixed(asked: Mapping[str, Any]) -> Answer:
    """One sentence with its quote; then one from nowhere, one that is not so, one that was ordered, one with a key."""
    points = []
    for point in first_words(asked)["points"]:
        for good in point["sentences"][:1]:
            bad = [
                "Ferry was sold in 2031, as [@ferry-sold, q1] says.",
                "A lease lasts 45 seconds by default.",
                OBEYED,
                f"The key is {SECRETS['TAVILY_API_KEY']}.",
            ]
            points.append({**point, "sentences": [good, *({**good, "text": text} for text in bad)]})
    return {"lead": [], "points": points}


@dataclass(frozen=True)
class Written:
    """A base whose pages a model wrote."""

    root: Path
    web: HostedWeb
    done: Ran
    stub: Stub

    def page(self, name: str) -> str:
        """A page's text."""
        return (self.root / "docs/queue" / name).read_text(encoding="utf-8")


@pytest.fixture(scope="module", params=[Api.OPENAI, pytest.param(Api.ANTHROPIC, marks=pytest.mark.nightly)])
def written(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Written]:
    """One run with each API, on pages that make no trouble but by what they say."""
    web, server = HostedWeb(), Web()
    with web, server:
        fill(web)
        web.finds("ferry dead letters", "ill.test/retries", "sly.test/revive", "slow.test/watch")
        web.put("ill.test/retries", typed(html("retries").encode(), HTML))
        stub = Stub(server, request.param, mixed)
        model = f"        writer: llm\n        llm_model: stub-1\n        llm_api: {request.param.value}\n"
        root = make_ferry(tmp_path_factory.mktemp("ferry") / "base", web, pause=0, more=model)
        base = {f"{request.param.value.upper()}_BASE_URL": stub.url, "TAVILY_API_KEY": ""}
        yield Written(root, web, run(root, web, "--plan", "ferry", **base), stub)


def test_pages_come_of_it(written: Written) -> None:
    """Both pass the gates, in one commit, and say that a model wrote them."""
    assert written.done.code == 0, written.done.out + written.done.err
    assert len(commits(written.root)) == 1
    for name in NAMES:
        meta, _ = split_front_matter(written.page(name))
        made: Any = meta["generated"]
        assert (made["writer"], made["model"], meta["reviewed"]) == ("llm", "stub-1", None)


@pytest.mark.parametrize("name", NAMES)
def test_both_apis_give_the_same_bytes(written: Written, name: str, golden: Callable[[Path, str], None]) -> None:
    """What the model says is what counts, not how it is asked."""
    golden(GOLDEN / f"llm-{name}", steady(written.page(name), written.web))


@pytest.mark.parametrize("name", NAMES)
def test_what_a_model_invents_stands_nowhere(written: Written, name: str) -> None:
    """A passage that was not given, a number that is not the source's, what a page told it to do, a key."""
    _, body = split_front_matter(written.page(name))
    assert not any(words in body for words in INVENTED if words != "[✓]")
    assert not re.search(r"(?<!\\)\[✓\]", body)
    cited = set(re.findall(r"\[@([\w-]+)", body))
    references = read_references(written.page(name), name)[0]
    assert cited == {reference.id for reference in references}
    snapshots = [path.read_text() for path in (written.root / ".planbook/snapshots").iterdir()]
    quotes = [quote for reference in references for _, quote in reference.quotes]
    assert len(quotes) >= 3
    assert all(any(fold(quote) in fold(snapshot) for snapshot in snapshots) for quote in quotes)


def test_a_model_is_sent_passages_and_nothing_else(written: Written) -> None:
    """No address, no key but its own in the header, no tool that does anything."""
    sent = json.dumps(written.stub.bodies)
    assert len(written.stub.bodies) > 5
    assert not any(secret in sent for secret in SECRETS.values())
    assert f":{written.web.port}" not in sent
    tools = [tool["name"] for body in written.stub.bodies for tool in body.get("tools", ())]
    assert set(tools) <= {"answer"}
    own = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}[written.stub.api.value]
    seen = [one for one in written.stub.web.seen if one.path == PATHS[written.stub.api]]
    assert all(SECRETS[own] in " ".join(one.headers.values()) for one in seen)


def test_keys_stand_nowhere(written: Written) -> None:
    """Though the model says one."""
    files = [path.read_bytes() for path in written.root.rglob("*") if path.is_file()]
    assert [name for name, key in SECRETS.items() for content in files if key.encode() in content] == []
    assert not any(key in written.done.out + written.done.err for key in SECRETS.values())
