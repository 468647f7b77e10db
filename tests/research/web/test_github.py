"""Files of GitHub: at which commit, which lines; and what is told when that is not to be had."""

from __future__ import annotations

import json

import pytest

from planbook.research.web.client import Fetcher
from planbook.research.web.github import GitHubEndpoints, GitHubTarget, find_endpoints, parse_github_url
from planbook.research.web.model import Fetched, Origin, Outcome
from tests.research.web.conftest import MakeFetcher
from tests.research.web.server import HERE, Names, Reply, Web, typed

SHA = "0123456789abcdef0123456789abcdef01234567"
CODE = b"\n\ndef steep(leaf):\n\n\n\n    return leaf\n"


@pytest.fixture
def hub(web: Web) -> GitHubEndpoints:
    """GitHub, as three hosts of one server."""
    hosts = {part: f"http://{part}.test:{web.port}" for part in ("site", "raw", "api")}
    return GitHubEndpoints(**hosts, token="ghp_secret4242")  # noqa: S106 - a planted one


@pytest.fixture
def github(web: Web, hub: GitHubEndpoints, make_fetcher: MakeFetcher) -> Fetcher:
    """A client that asks it, and a repository `leaf/brew` there."""
    web.put("/repos/leaf/brew/commits/main", typed(SHA.encode(), "application/vnd.github.sha"))
    web.put("/repos/leaf/brew/commits/HEAD", typed(SHA.encode(), "application/vnd.github.sha"))
    web.put(f"/repos/leaf/brew/readme?ref={SHA}", as_json({"path": "docs/README.rst"}))
    web.put(f"/leaf/brew/{SHA}/src/steep.py", typed(CODE, "text/plain; charset=utf-8"))
    web.put(f"/leaf/brew/{SHA}/docs/README.rst", typed(b"Brew\n====\n", "text/plain"))
    names = Names(site_test=[[HERE]], raw_test=[[HERE]], api_test=[[HERE]])
    return make_fetcher(names, github=hub)


def as_json(value: object, *, status: int = 200) -> Reply:
    """As the API answers."""
    return typed(json.dumps(value).encode(), "application/json", status=status)


def origin(fetched: Fetched) -> Origin:
    """Where it comes from."""
    assert fetched.origin
    return fetched.origin


def test_a_file_at_a_commit(web: Web, hub: GitHubEndpoints, github: Fetcher) -> None:
    """The address of a file on a branch gives its raw text, the commit and the lines."""
    url = f"{hub.site}/leaf/brew/blob/main/src/steep.py"
    fetched = github.fetch(f"{url}#L3-L7")
    assert (fetched.outcome, fetched.reason, fetched.url) == (Outcome.OK, "", url)
    assert fetched.text == CODE.decode().rstrip()
    assert fetched.title == "src/steep.py (leaf/brew)"
    assert origin(fetched) == Origin("leaf/brew", "src/steep.py", "main", SHA, (3, 7), host=hub.site)
    assert origin(fetched).permalink == f"{hub.site}/leaf/brew/blob/{SHA}/src/steep.py#L3-L7"
    assert fetched.text.split("\n")[2] == "def steep(leaf):"
    assert fetched.requests == len(web.seen) == 3
    assert not any(seen.host.startswith("site") for seen in web.seen)


def test_a_commit_is_not_asked_for(web: Web, hub: GitHubEndpoints, github: Fetcher) -> None:
    """An address that names the commit needs no API for it."""
    fetched = github.fetch(f"{hub.raw}/leaf/brew/{SHA}/src/steep.py")
    assert origin(fetched).commit == SHA
    assert not any("/commits/" in seen.path for seen in web.seen)


def test_a_branch_with_a_slash(web: Web, hub: GitHubEndpoints, github: Fetcher) -> None:
    """Where the branch's name ends and the path begins, GitHub says."""
    web.put("/repos/leaf/brew/commits/feature", as_json({"message": "No commit found"}, status=422))
    web.put("/repos/leaf/brew/commits/feature/pot", typed(SHA.encode(), "application/vnd.github.sha"))
    fetched = github.fetch(f"{hub.site}/leaf/brew/blob/feature/pot/src/steep.py")
    assert (origin(fetched).ref, origin(fetched).path, origin(fetched).commit) == ("feature/pot", "src/steep.py", SHA)


@pytest.mark.parametrize("path", ["/leaf/brew", "/leaf/brew/", "/leaf/brew.git", "/leaf/brew/tree/main"])
def test_a_repository_is_its_readme(hub: GitHubEndpoints, github: Fetcher, path: str) -> None:
    """Without a file, the README that GitHub shows is read, at the commit of the branch."""
    fetched = github.fetch(f"{hub.site}{path}")
    assert (fetched.text, origin(fetched).path, origin(fetched).commit) == ("Brew\n====", "docs/README.rst", SHA)


def test_the_token_goes_to_the_api_alone(web: Web, hub: GitHubEndpoints, github: Fetcher) -> None:
    """It stands in nothing that is shown or kept."""
    fetched = github.fetch(f"{hub.site}/leaf/brew/blob/main/src/steep.py")
    with_token = {seen.host.partition(".")[0] for seen in web.seen if "authorization" in seen.headers}
    assert with_token == {"api"}
    assert "secret4242" not in repr(hub) + repr(fetched)


@pytest.mark.parametrize(
    "answer",
    [
        Reply(403, b"{}", (("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "1999999999"))),
        Reply(401, b"{}"),
        Reply(500),
        typed(b"<html>no sha</html>", "text/html"),
        typed(b"main", "application/vnd.github.sha"),
    ],
)
def test_a_commit_that_cannot_be_found_out_is_not_made_up(
    web: Web, hub: GitHubEndpoints, github: Fetcher, answer: Reply
) -> None:
    """The file is read by its branch, and its commit is not known."""
    web.put("/repos/leaf/brew/commits/main", answer)
    web.put("/repos/leaf/brew/commits/main/src", answer)
    web.put("/leaf/brew/main/src/steep.py", typed(CODE, "text/plain"))
    fetched = github.fetch(f"{hub.site}/leaf/brew/blob/main/src/steep.py#L3")
    assert fetched.outcome is Outcome.OK
    assert (origin(fetched).commit, origin(fetched).ref, origin(fetched).lines) == (None, "main", (3, 3))
    assert origin(fetched).permalink.endswith("/blob/main/src/steep.py#L3")


def test_a_used_up_allowance_is_asked_once(web: Web, hub: GitHubEndpoints, github: Fetcher) -> None:
    """After it is told that the hour's requests are used up, the API is left alone."""
    limited = Reply(403, b"{}", (("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "1999999999")))
    for path in ("main", "dev"):
        web.put(f"/repos/leaf/brew/commits/{path}", limited)
        web.put(f"/leaf/brew/{path}/src/steep.py", typed(CODE, "text/plain"))
    for path in ("main", "dev"):
        fetched = github.fetch(f"{hub.site}/leaf/brew/blob/{path}/src/steep.py")
        assert fetched.outcome is Outcome.OK
        assert origin(fetched).commit is None
    assert sum(seen.host.startswith("api") for seen in web.seen) == 1


def test_a_repository_whose_api_is_silent_is_read_as_a_page(web: Web, hub: GitHubEndpoints, github: Fetcher) -> None:
    """A README of unknown name is not taken for one that is gone; so are pages with an address like a repository's."""
    for path in ("/repos/leaf/brew/commits/HEAD", "/repos/leaf/brew/readme?ref=HEAD"):
        web.put(path, Reply(500))
    web.html("/leaf/brew", "<h1>Brew</h1><p>It brews.</p>", title="leaf/brew")
    fetched = github.fetch(f"{hub.site}/leaf/brew")
    assert (fetched.outcome, fetched.origin) == (Outcome.OK, None)
    assert "It brews." in fetched.text


def test_a_file_that_is_gone(web: Web, hub: GitHubEndpoints, github: Fetcher) -> None:
    """It is told as gone, whatever is known of its repository."""
    fetched = github.fetch(f"{hub.site}/leaf/brew/blob/main/src/pot.py")
    assert (fetched.outcome, fetched.text) == (Outcome.GONE, "")
    assert github.fetch(f"{hub.site}/no/body").outcome is Outcome.GONE


def test_a_repository_that_has_another_name(web: Web, hub: GitHubEndpoints, github: Fetcher) -> None:
    """GitHub leads to its files by the old name, too."""
    web.redirect("/repos/old/brew/commits/main", "/repos/leaf/brew/commits/main", 301)
    web.put(f"/old/brew/{SHA}/src/steep.py", typed(CODE, "text/plain"))
    fetched = github.fetch(f"{hub.site}/old/brew/blob/main/src/steep.py")
    assert (fetched.outcome, fetched.moved_to, origin(fetched).commit) == (Outcome.OK, None, SHA)


def test_what_is_asked_of_a_repository_is_asked_once(web: Web, hub: GitHubEndpoints, github: Fetcher) -> None:
    """Two files of a branch make one request for its commit."""
    web.put(f"/leaf/brew/{SHA}/src/pot.py", typed(CODE, "text/plain"))
    for name in ("steep.py", "pot.py"):
        assert github.fetch(f"{hub.site}/leaf/brew/blob/main/src/{name}").outcome is Outcome.OK
    assert web.asked("/repos/leaf/brew/commits/main") == 1


def test_where_github_is_and_with_which_token() -> None:
    """By the environment alone; without it, at its own addresses and without a token."""
    assert find_endpoints({}) == GitHubEndpoints(
        "https://github.com", "https://raw.githubusercontent.com", "https://api.github.com", ""
    )
    given = {
        "PLANBOOK_GITHUB_SITE": "https://hub.test/",
        "PLANBOOK_GITHUB_RAW": "https://raw.hub.test",
        "PLANBOOK_GITHUB_API": "https://hub.test/api/v3",
        "GITHUB_TOKEN": "ghp_1\n",
    }
    assert find_endpoints(given) == GitHubEndpoints(
        "https://hub.test", "https://raw.hub.test", "https://hub.test/api/v3", "ghp_1"
    )


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("https://github.com/o/r/blob/main/a%20b/c.py", GitHubTarget("o/r", ("main", "a b", "c.py"))),
        ("https://www.github.com/o/r/raw/v1/c.py", GitHubTarget("o/r", ("v1", "c.py"))),
        ("https://raw.githubusercontent.com/o/r/refs/heads/main/c.py", GitHubTarget("o/r", ("main", "c.py"))),
        ("https://github.com/o/r/tree/main/src", GitHubTarget("o/r", ("main", "src"), is_folder=True)),
        ("https://github.com/o/r/blob/main", None),
        ("https://github.com/o/r/issues/3", None),
        ("https://github.com/o/r/wiki/Page", None),
        ("https://github.com/o", None),
        ("https://github.com/o/../blob/main/x", None),
        ("https://github.com/o/r/blob/main/%2e%2e/x", None),
        ("https://github.com.evil.test/o/r", None),
        ("https://evil.test/github.com/o/r", None),
        ("https://gitlab.com/o/r/-/blob/main/x", None),
        ("http://[::1", None),
    ],
)
def test_which_addresses_are_files_of_github(url: str, place: GitHubTarget | None) -> None:
    """Others are pages like any."""
    assert parse_github_url(url, GitHubEndpoints()) == place
