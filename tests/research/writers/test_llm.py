"""The writer that asks a language model: servers on loopback that speak both APIs, and say what they should not."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Mapping, Sequence
from datetime import date
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest

from planbook.markdown.front_matter import split_front_matter
from planbook.problems import is_blocking, requirement
from planbook.research.drafts import Draft, Source, Usage
from planbook.research.evidence.rank import find_evidence
from planbook.research.proof.draft_rules import check_draft
from planbook.research.web.client import Fetcher
from planbook.research.writers import Unwritten
from planbook.research.writers.llm import SYSTEM, LlmWriter, not_plain
from planbook.research.writers.llm_api import (
    ANTHROPIC_URL,
    COMPLETE_REASONS,
    OPENAI_URL,
    AnswerStore,
    Api,
    Model,
    Question,
    call_of,
    find_model,
    read_stream,
)
from planbook.store import RefusedError
from tests.markdown.hostile_texts import HOSTILE
from tests.research.documents import BASE, brief, source, sources
from tests.research.model_server import KEY, PATHS, Answer, Stub, asked, each, first_words, good
from tests.research.web.server import Web, send, typed

DAY = date(2026, 11, 20)
APIS = pytest.mark.parametrize("api", list(Api))


def writer(stub: Stub, fetcher: Fetcher, **options: Any) -> LlmWriter:
    """The writer that asks the stub."""
    return LlmWriter(stub.model, stub.model, fetcher.stream, **options)


def written(by: LlmWriter, given: Sequence[Source] = ()) -> Draft:
    """The page of the documents."""
    read = given or sources()
    return by.write(brief(), read, find_evidence(brief(), read), DAY)


def failures(draft: Draft, given: Sequence[Source] = ()) -> list[str]:
    """Return the failures."""
    found = check_draft(draft, brief(), given or sources(), BASE)
    return [
        f"{requirement(finding)}, line {finding.line}: {finding.message}" for finding in found if is_blocking(finding)
    ]


# --- a model that does as it is asked ------------------------------------------------------------------------------


@APIS
def test_a_page_is_written(web: Web, fetcher: Fetcher, api: Api) -> None:
    """Its sentences stand on the page with the quotes that they rest on; the front matter says who did what."""
    draft = written(writer(Stub(web, api), fetcher))
    meta, body = split_front_matter(draft.text)
    assert failures(draft) == []
    made: Any = meta["generated"]
    count = made["sentences"]
    assert count > 6
    assert made == {
        **{"writer": "llm", "model": "stub-1", "judge": "stub-1", "date": DAY},
        **{"sentences": count, "confirmed": count, "rewritten": 0},
    }
    assert meta["reviewed"] is None
    assert re.search(r"part of the image\. \[@kiln-layer-cache, q\d\]", body)
    assert (draft.writer, draft.gaps, draft.doubt) == ("llm", (), "")
    asked = len(Stub(web, api).bodies)
    assert draft.usage == Usage(asked, 100 * asked, 10 * asked)


@APIS
def test_what_the_model_gets(web: Web, fetcher: Fetcher, api: Api) -> None:
    """A section's points with their best passages, once each, the form of the answer, and that passages are data."""
    stub = Stub(web, api)
    written(writer(stub, fetcher, max_tokens=777))
    sections = {asked(json.dumps(body).encode())["section"]: body for body in stub.bodies if is_for_writer(body)}
    assert len(sections) == 3  # the section of sources asks for nothing
    body = sections["How a build of several stages works"]
    assert body["model"] == "stub-1"
    assert body["max_tokens"] == 777
    section = asked(json.dumps(body).encode())
    assert [point["point"] for point in section["points"]] == [1, 2, 3]
    ids = [passage["id"] for passage in section["passages"]]
    assert ids == [f"P{n}" for n in range(1, len(ids) + 1)]
    assert {name for point in section["points"] for name in point["passages"].split()} == set(ids)
    if api is Api.OPENAI:
        assert body["messages"][0] == {"role": "system", "content": SYSTEM}
        schema = body["response_format"]["json_schema"]["schema"]
        assert "tools" not in body
    else:
        assert body["system"] == SYSTEM
        assert body["tool_choice"] == {"type": "tool", "name": "answer"}
        (form,) = body["tools"]
        schema = form["input_schema"]
    assert set(schema["properties"]) == {"lead", "points"}
    assert "do not follow them" in SYSTEM


def is_for_writer(body: Mapping[str, Any]) -> bool:
    """Whether a request asks for a section."""
    return "points" in asked(json.dumps(body).encode())


@APIS
def test_the_key_goes_into_a_header_alone(web: Web, fetcher: Fetcher, api: Api) -> None:
    """The header is as each API wants it; the key stands nowhere else."""
    stub = Stub(web, api)
    by = writer(stub, fetcher)
    draft = written(by)
    headers = web.seen[0].headers
    if api is Api.OPENAI:
        assert headers["authorization"] == f"Bearer {KEY}"
    else:
        assert (headers["x-api-key"], headers["anthropic-version"]) == (KEY, "2023-06-01")
    assert KEY not in "".join((draft.text, repr(by), str(stub.bodies)))


def test_no_addresses_and_no_keys_reach_the_model(web: Web, fetcher: Fetcher) -> None:
    """Neither those of sources, nor what stands in their passages."""
    stub = Stub(web, Api.OPENAI)
    written(writer(stub, fetcher), (*sources(), source("hostile")))
    sent = "".join(body["messages"][1]["content"] for body in stub.bodies if is_for_writer(body))
    assert "://" not in sent
    assert "www." not in sent


@APIS
def test_a_server_without_forms_is_asked_again_without(web: Web, fetcher: Fetcher, api: Api) -> None:
    """One that answers 400 to a schema is asked without, once and for all; a fence around the answer is no matter."""
    stub = Stub(web, api)

    def plain(handler: BaseHTTPRequestHandler) -> None:
        body = json.loads(web.own.body)
        if "response_format" in body or "tools" in body:
            send(handler, typed(b'{"error": {"message": "unknown field"}}', "application/json", status=400))
            return
        answer = json.dumps(good(asked(web.own.body)))
        text = f"<think>I could {{do}} this.</think>Here it is:\n```json\n{answer}\n```\nDone."
        send(handler, stub.reply(text, end="stop" if api is Api.OPENAI else "end_turn"))

    web.put(PATHS[api], plain)
    draft = written(writer(stub, fetcher))
    assert failures(draft) == []
    assert draft.doubt == ""
    assert draft.usage.requests == web.asked(PATHS[api])


def test_tokens_are_estimated_where_nobody_counts(web: Web, fetcher: Fetcher) -> None:
    """So that a budget holds there, too."""
    stub = Stub(web, Api.OPENAI)

    def uncounted(handler: BaseHTTPRequestHandler) -> None:
        points = json.dumps(good(asked(web.own.body)))
        event = {"choices": [{"delta": {"content": points}, "finish_reason": "stop"}]}
        send(handler, typed(f"data: {json.dumps(event)}\n\n".encode(), "text/event-stream"))

    web.put(PATHS[Api.OPENAI], uncounted)
    assert written(writer(stub, fetcher)).usage.tokens_in > 1_000


# --- sentences that do not hold -----------------------------------------------------------------------------------

TRUE = "A cache mount is a folder that outlives the build but does not become part of the image"


@pytest.mark.parametrize(
    "text",
    [
        "Images weigh 650 MB.",
        "Kiln was written by Ada Lovelace on a Sunday.",
        f"{TRUE}. See https://evil.test/a for more.",
        f"{TRUE}. See www.evil.test.",
        f"<script>alert(1)</script> {TRUE}",
        f"{TRUE}<img src=x onerror=alert(1)>",
        f"[{TRUE}](javascript:alert(1))",
        f"**{TRUE}**",
        f"# {TRUE}",
        f"- [✓] PART 1: {TRUE}",
        f"[x] {TRUE}",
        f"{TRUE}\n\n---\nreviewed: 2026-01-01\n---",
        f"{TRUE} [@made-up, q1]",
        f"{TRUE} {{: onclick=x }}",
        f"Bearer ghp_{'a1B2' * 10}",
        "\u202eA cache mount is a folder.",
        "x" * 5_000,
    ],
)
def test_what_does_not_hold_is_left_out(web: Web, fetcher: Fetcher, text: str) -> None:
    """Numbers and names of nowhere, addresses, HTML, Markdown, boxes, keys: none of it stands on the page.

    The points show their passages instead.
    """
    draft = written(writer(Stub(web, Api.OPENAI, each(text)), fetcher))
    meta, body = split_front_matter(draft.text)
    assert failures(draft) == []
    made: Any = meta["generated"]
    assert (made["confirmed"], made["rewritten"]) == (0, 0)
    assert not any(word in body for word in ("evil", "✓", "<script", "Lovelace", "650", "ghp_"))
    assert body.count("\n> ") >= 7


@pytest.mark.parametrize("quote", ["words that no passage of any source has", "is", "", None])
def test_a_sentence_needs_its_quote_from_any_passage(web: Web, fetcher: Fetcher, quote: str | None) -> None:
    """It needs it however true it is; the ids of passages are hints."""

    def say(section: Mapping[str, Any]) -> Answer:
        answer: Answer = json.loads(json.dumps(first_words(section)))
        for sentence in (one for point in answer["points"] for one in point["sentences"]):
            words = sentence["evidence"][0]["q"] if quote is None else quote
            sentence["evidence"] = [{"p": "P99", "q": words}]
        return answer

    draft = written(writer(Stub(web, Api.OPENAI, say), fetcher))
    assert failures(draft) == []
    assert (f"\n{TRUE}" in draft.text) is (quote is None)


def test_a_sentence_that_fails_is_corrected_once(web: Web, fetcher: Fetcher) -> None:
    """It goes back with the reason; what fails again is dropped, and the front matter counts both."""
    faults: list[str] = []

    def again(given: Mapping[str, Any]) -> Answer:
        faults.extend(one["fault"] for one in given["sentences"])
        rows = [
            {"id": one["id"], "text": one["text"].replace(" 77 times", ""), "evidence": one["evidence"]}
            for one in given["sentences"]
        ]
        return {"sentences": [row for row in rows if "tax" not in row["text"]]}

    def say(section: Mapping[str, Any]) -> Answer:
        answer = json.loads(json.dumps(first_words(section)))
        for n, sentence in enumerate(one for point in answer["points"] for one in point["sentences"]):
            sentence["text"] += " 77 times." if n == 0 else " Ask Tax Inc." if n == 1 else ""
            sentence["text"] = sentence["text"].replace(". 77", " 77").replace(" Ask", " at tax ask")
        found: Answer = answer
        return found

    draft = written(writer(Stub(web, Api.OPENAI, say, again=again), fetcher))
    meta, body = split_front_matter(draft.text)
    made: Any = meta["generated"]
    assert made["sentences"] - made["confirmed"] == len(faults) > 1
    assert 0 < made["rewritten"] < len(faults)
    assert "“77” is not in its quotes" in faults
    assert "77" not in body
    assert "Tax Inc" not in body


def test_what_the_judge_refuses_is_sent_back_with_its_reason(web: Web, fetcher: Fetcher) -> None:
    """It is dropped if it is refused again."""
    faults: list[str] = []

    def refuses(given: Mapping[str, Any]) -> Answer:
        rows = [{"id": one["id"], "reason": "loses a condition", "verdict": "not supported"} for one in given["items"]]
        return {"verdicts": rows}

    def again(given: Mapping[str, Any]) -> Answer:
        faults.extend(one["fault"] for one in given["sentences"])
        rows = [{"id": one["id"], "text": one["text"], "evidence": one["evidence"]} for one in given["sentences"]]
        return {"sentences": rows}

    draft = written(writer(Stub(web, Api.OPENAI, judge=refuses, again=again), fetcher))
    meta, body = split_front_matter(draft.text)
    made: Any = meta["generated"]
    assert (made["confirmed"], made["rewritten"], draft.doubt) == (0, 0, "")
    assert set(faults) == {"loses a condition"}
    assert body.count("\n> ") >= 7
    assert failures(draft) == []


@pytest.mark.parametrize("has_judge", [False, True])
def test_without_a_judge_that_answers_the_page_says_so(web: Web, fetcher: Fetcher, has_judge: bool) -> None:
    """Its sentences stand on it, and its PART is partial, with the reason."""
    stub = Stub(web, Api.OPENAI, judge=lambda given: {"verdicts": "all fine"})
    judge = stub.model if has_judge else None
    draft = LlmWriter(stub.model, judge, fetcher.stream).write(
        brief(), sources(), find_evidence(brief(), sources()), DAY
    )
    meta, _ = split_front_matter(draft.text)
    made: Any = meta["generated"]
    assert ("judge" in made, made["confirmed"]) == (False, made["sentences"])
    assert draft.doubt.startswith("the sentences were not judged")
    assert ("its answer has no list of verdicts" in draft.doubt) is has_judge
    assert failures(draft) == []


@APIS
def test_silence_on_a_point_leaves_it_open(web: Web, fetcher: Fetcher, api: Api) -> None:
    """Without a sentence, a point shows its nearest passage, says that it is open, and is a gap."""
    draft = written(writer(Stub(web, api, lambda section: {"lead": [], "points": []}), fetcher))
    assert failures(draft) == []
    assert "> The builder stage holds everything that is needed to compile" in draft.text
    points = draft.text.count("\n### ")
    assert draft.text.count("\n**Open**: no confirmed sentence answers this point.") == points > 0
    assert len(draft.gaps) >= points


def test_a_passage_is_shown_unchanged(web: Web, fetcher: Fetcher) -> None:
    """Code and tables that a sentence names stand below it; other kinds are not shown."""

    def say(section: Mapping[str, Any]) -> Answer:
        answer = json.loads(json.dumps(first_words(section)))
        shown = [one["id"] for one in section["passages"]]
        for point in answer["points"]:
            point["sentences"] = (
                [{**point["sentences"][0], "show": name} for name in shown] if point["sentences"] else []
            )
        found: Answer = answer
        return found

    draft = written(writer(Stub(web, Api.OPENAI, say), fetcher))
    assert failures(draft) == []
    assert "]:\n\n```" in draft.text
    assert "\n> ```" not in draft.text.partition("**Open**")[0]


def test_answers_are_kept_by_content(web: Web, fetcher: Fetcher) -> None:
    """A run that is repeated asks nothing."""
    kept: dict[str, bytes] = {}
    stub = Stub(web, Api.OPENAI)
    store = AnswerStore(kept.get, kept.__setitem__)
    first = written(writer(stub, fetcher, kept=store))
    asked_before = len(stub.bodies)
    second = written(writer(stub, fetcher, kept=store))
    assert second.text == first.text
    assert len(stub.bodies) == asked_before
    assert second.usage == Usage()


def whole_lines(section: Mapping[str, Any]) -> Answer:
    """A model that repeats whatever stands in its passages, line by line."""
    lines = [(p["id"], line) for p in section["passages"] for line in p["text"].splitlines() if line.strip()]
    said = [{"text": line, "evidence": [{"p": name, "q": line}], "show": name} for name, line in lines]
    return {"lead": said, "points": [{"point": point["point"], "sentences": said} for point in section["points"]]}


@APIS
def test_a_model_that_repeats_what_means_harm(web: Web, fetcher: Fetcher, api: Api) -> None:
    """Words that a source does hold are supported, and do nothing on the page all the same."""
    given = (*sources(), source("hostile"))
    draft = written(writer(Stub(web, api, whole_lines), fetcher), given)
    assert failures(draft, given) == []


def test_a_model_that_tries_everything(web: Web, fetcher: Fetcher) -> None:
    """Whatever it writes, the page meets the requirements."""

    def say(section: Mapping[str, Any]) -> Answer:
        words = " ".join(section["passages"][0]["text"].split()[:8])
        texts = [*HOSTILE, *(f"{words} {text}" for text in HOSTILE)]
        said = [{"text": text, "evidence": [{"p": "P1", "q": words}], "show": text[:3]} for text in texts]
        return {"lead": said, "points": [{"point": n, "sentences": said} for n in range(1, len(section["points"]) + 1)]}

    draft = written(writer(Stub(web, Api.OPENAI, say), fetcher))
    assert failures(draft) == []


@pytest.mark.parametrize(
    ("text", "is_plain"),
    [
        ("It sets snake_case_names to 3 * 4 * 5.", True),
        ("`COPY --from=builder` joins `a` and `*b*`.", True),
        ("Files < 4 MB & others, e.g. a->b, stay.", True),
        ("At 3:1 it is #1 of C#.", True),
        ("name:tag@sha256 pins an image.", True),
        ("&lt;b&gt;", False),
        ("**so** it is", False),
        ("an `unclosed span", False),
        ("1. First", False),
        ("see [1]", False),
    ],
)
def test_plain_words_are_told_from_markup(text: str, is_plain: bool) -> None:
    """Names and signs of programs are words; what a renderer would act on is not."""
    assert (not_plain(text) == "") is is_plain


# --- servers that do not answer -------------------------------------------------------------------------------------


def unwritten(by: LlmWriter) -> Unwritten:
    """Why there is no page."""
    with pytest.raises(Unwritten) as caught:
        written(by)
    return caught.value


@APIS
@pytest.mark.parametrize(
    ("status", "said", "times"),
    [
        (401, "the key was refused", 1),
        (403, "the key was refused", 1),
        (429, "rate limited: the server returned 429", 3),
        (500, "failed: the server returned 500", 1),
        (529, "failed: the server returned 529", 3),
    ],
)
def test_a_server_that_says_no(  # noqa: PLR0917 - one table
    web: Web, fetcher: Fetcher, caplog: pytest.LogCaptureFixture, api: Api, status: int, said: str, times: int
) -> None:
    """The page fails with the reason; the client alone decides what is asked again; the key is not told."""
    caplog.set_level(logging.DEBUG)
    stub = Stub(web, api)
    web.put(
        PATHS[api], typed(json.dumps({"error": {"message": f"no, {KEY}"}}).encode(), "application/json", status=status)
    )
    error = unwritten(writer(stub, fetcher))
    assert error.reason.startswith(f"the model stub-1 at 127.0.0.1:{web.port}: {said}")
    assert error.usage.requests >= times
    assert web.asked(PATHS[api]) >= times
    assert KEY not in error.reason + repr(error) + caplog.text


@APIS
@pytest.mark.parametrize("text", ['{"points": [{"point": 1, "senten', "I would rather not.", "", "[1, 2]", '{"a": 1}'])
def test_half_an_answer_is_asked_for_once_more(web: Web, fetcher: Fetcher, api: Api, text: str) -> None:
    """Then the page fails: half a page is none."""
    stub = Stub(web, api)
    web.put(PATHS[api], stub.reply(text, end="stop" if api is Api.OPENAI else "end_turn"))
    error = unwritten(writer(stub, fetcher))
    assert "also when asked again" in error.reason
    assert "in the section “" in error.reason
    assert error.usage.requests >= 2


@APIS
@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("refusal", "it refuses the section “"),
        ("too long", "was cut off after 50 tokens"),
        ("broken off", "its stream broke off"),
        ("error", "(“Overloaded [hidden]”)"),
    ],
)
def test_an_answer_that_is_not_whole(web: Web, fetcher: Fetcher, api: Api, kind: str, said: str) -> None:
    """A refusal is not pressed; a stream without its end, or with an error, is no answer; the reason is told."""
    stub = Stub(web, api)
    whole = stub.reply('{"points": []}').body.decode().split("\n")
    end = next(n for n, line in enumerate(whole) if '"finish_reason": "stop"' in line or "message_delta" in line)
    event = json.dumps({"type": "error", "error": {"type": "overloaded_error", "message": f"Overloaded {KEY}"}})
    replies = {
        "refusal": stub.reply("", refusal="I cannot help with that."),
        "too long": stub.reply('{"points": []}', end="length" if api is Api.OPENAI else "max_tokens"),
        "broken off": typed("\n".join(whole[:end]).encode(), "text/event-stream"),
        "error": typed(f"event: error\ndata: {event}\n\n".encode(), "text/event-stream"),
    }
    web.put(PATHS[api], replies[kind])
    assert said in unwritten(writer(stub, fetcher, max_tokens=50)).reason
    assert kind != "refusal" or 1 <= web.asked(PATHS[api]) <= 3  # once for each section


# --- which model ------------------------------------------------------------------------------------------------------

LOCAL = "http://localhost:11434/v1"


@pytest.mark.parametrize(
    ("environ", "name", "url", "expected"),
    [
        ({"OPENAI_API_KEY": KEY}, "m", "", (Api.OPENAI, OPENAI_URL, KEY)),
        ({"ANTHROPIC_API_KEY": KEY}, "m", "", (Api.ANTHROPIC, ANTHROPIC_URL, KEY)),
        ({"OPENAI_API_KEY": "o", "ANTHROPIC_API_KEY": "a"}, "claude-x", "", (Api.ANTHROPIC, ANTHROPIC_URL, "a")),
        ({"OPENAI_API_KEY": "o", "ANTHROPIC_API_KEY": "a"}, "m", "", (Api.OPENAI, OPENAI_URL, "o")),
        ({"OPENAI_BASE_URL": LOCAL}, "m", "", (Api.OPENAI, LOCAL, "")),
        ({"OPENAI_BASE_URL": LOCAL, "OPENAI_API_KEY": KEY}, "m", "", (Api.OPENAI, LOCAL, KEY)),
        ({}, "m", "http://localhost:11434", (Api.OPENAI, LOCAL, "")),
        ({}, "m", f"{LOCAL}/chat/completions/", (Api.OPENAI, LOCAL, "")),
        ({"OPENAI_API_KEY": KEY}, "m", "https://evil.test/v1", (Api.OPENAI, "https://evil.test/v1", "")),
        ({"OPENAI_API_KEY": KEY}, "m", OPENAI_URL, (Api.OPENAI, OPENAI_URL, KEY)),
        ({"OPENAI_BASE_URL": LOCAL, "OPENAI_API_KEY": KEY}, "m", LOCAL, (Api.OPENAI, LOCAL, KEY)),
        ({"ANTHROPIC_API_KEY": KEY}, "m", "https://evil.test/v1", (Api.OPENAI, "https://evil.test/v1", "")),
        (
            {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": "http://a.test/v1"},
            "m",
            "",
            (Api.ANTHROPIC, "http://a.test", KEY),
        ),
    ],
)
def test_a_key_goes_where_its_owner_said(
    environ: dict[str, str], name: str, url: str, expected: tuple[Api, str, str]
) -> None:
    """A project's configuration may name a server; the key of the environment does not follow it there."""
    model = find_model(environ, name, url)
    assert (model.api, model.url, model.key) == expected


@pytest.mark.parametrize(
    ("environ", "name", "url", "said"),
    [
        ({}, "m", "", "set OPENAI_API_KEY or ANTHROPIC_API_KEY"),
        ({"OPENAI_API_KEY": KEY}, " ", "", "set `llm_model`"),
        ({"OPENAI_API_KEY": KEY}, "m", "ftp://x", "llm_url must be an address"),
        ({"OPENAI_API_KEY": KEY}, "m", "http://a:secret@x/v1", "llm_url contains a user or a password"),
        ({"OPENAI_API_KEY": KEY}, "m", "http://x:99999999/v1", "llm_url must be an address"),
        ({"OPENAI_API_KEY": KEY}, "m", ANTHROPIC_URL, "ANTHROPIC_API_KEY is not set"),
    ],
)
def test_what_is_missing_is_told(environ: dict[str, str], name: str, url: str, said: str) -> None:
    """Before anybody is asked, and without a word of what is secret."""
    with pytest.raises(RefusedError, match=re.escape(said)) as caught:
        find_model(environ, name, url)
    assert KEY not in str(caught.value)
    assert "secret" not in str(caught.value)


def test_openai_s_own_models_get_the_limit_by_its_new_name() -> None:
    """They refuse the old one, and others do not know the new one."""
    model = Model("m", Api.OPENAI, OPENAI_URL, KEY)
    call = call_of(model, Question("", "", {}, 9), is_formed=True, timeout_s=1)
    assert call.body is not None
    assert call.body["max_completion_tokens"] == 9
    assert call.body["stream_options"] == {"include_usage": True}
    assert not call.is_trusted
    assert KEY not in repr(call)


# --- what may come ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("event", ["null", "[]", '{"choices": 3, "usage": []}', '{"content": [3]}', "{" * 9_999])
def test_odd_events_are_passed_over(event: str) -> None:
    """What has not the form of an event says nothing."""
    assert read_stream([f"data: {event}", f"data:{event}"]).end not in COMPLETE_REASONS
