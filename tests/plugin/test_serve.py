"""`mkdocs serve`: a change in a plan is seen after one build, and no build makes another."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.files import put
from tests.plugin.conftest import ENVIRONMENT, copied_site, hashes
from tests.plugin.serving import Server, serving, wait_for

QUIET_S = 2.5
"""How long no build may follow: MkDocs waits a quarter of a second for more changes, then builds in less than one."""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """A server of the small complete site."""
    with serving(copied_site(tmp_path / "site")) as running:
        yield running


def states(html: str) -> dict[str, str]:
    """The state of each PART of the bread plan on the progress page, by its number."""
    plan = html.partition("plans/bread.md")[2].partition("</table>")[0]
    return {number: state for state, number in re.findall(r'data-state="(\w+)"[^>]*>\s*<th[^>]*>(\d+)', plan)}


def test_a_mark_is_seen_after_one_build(server: Server) -> None:
    """One build at the start, one after the mark, and none after that; nobody's file changes but the plan."""
    assert server.builds == 1
    assert states(server.page("progress/"))["5"] == "open"
    plan = server.root / "plans" / "bread.md"
    plan.write_text(plan.read_text("utf-8").replace("- [ ] PART 5:", "- [✓] PART 5:"), "utf-8")
    before = hashes(server.root / "docs"), hashes(server.root / "plans")
    wait_for(lambda: server.reloads > 0, server)
    assert states(server.page("progress/"))["5"] == "done"
    time.sleep(QUIET_S)
    assert server.builds == 2, "".join(server.log)
    assert (hashes(server.root / "docs"), hashes(server.root / "plans")) == before


def test_a_new_page_and_a_broken_plan(server: Server) -> None:
    """A plan of any bytes does not end the server, and what is written after it is shown."""
    (server.root / "plans" / "odd.md").write_bytes(b"\xff\xfe\x00# ```\n## PART 1: Create ../../x.md\n<!--")
    wait_for(lambda: server.reloads > 0, server)
    assert "plans/odd.md" in server.page("progress/")
    assert re.search("Nobody has written|Not written yet", server.page("bread/13-barley/"))
    (server.root / "docs" / "bread" / "13-barley.md").write_text("# Barley at last\n", "utf-8")
    wait_for(lambda: server.reloads > 1, server)
    assert "Barley at last" in server.page("bread/13-barley/")
    assert "Traceback" not in "".join(server.log)


@pytest.mark.parametrize("plugins", ["search, planbook", "search, planbook, planbook-speed"])
def test_the_search_has_what_was_saved(tmp_path: Path, plugins: str) -> None:
    """Also where the entries of Material's index are read whole, as another plugin or hook may change them."""
    hook = "def on_env(env, config, files):\n    config.plugins['material/search'].search_index.entries\n"
    config = f"site_name: S\ntheme: material\nplugins: [{plugins}]\nhooks: [hook.py]\n"
    put(
        tmp_path,
        {"mkdocs.yml": config, "hook.py": hook, "docs/index.md": "# Home\n", "docs/rye.md": "# Rye\n\nDark.\n"},
    )
    with serving(tmp_path) as server:
        assert '"Rye"' in server.page("search/pages.js")
        put(tmp_path, {"docs/rye.md": "# Oats\n\nPale.\n"})
        wait_for(lambda: server.reloads > 0, server)
        assert '"Oats"' in server.page("search/pages.js")
        assert " pale" in server.page("search/all.js")


COUNT = """
import cProfile, json, logging, pstats
from pathlib import Path
from mkdocs.commands.build import build
from mkdocs.config import load_config

logging.disable(logging.CRITICAL)
for turn in range(2):  # with `-f`, the first build has the path of the configuration as given
    config = load_config(None if turn else Path("mkdocs.yml").open("rb"), site_dir="site")
    if turn == 0:
        config.plugins.on_startup(command="serve", dirty=False)
    with Path("docs/a/1.md").open("a") as page:
        page.write("\\nMore.\\n")
    with cProfile.Profile() as profile:
        build(config, serve_url="http://127.0.0.1/")
config.plugins.on_shutdown()
stats = pstats.Stats(profile).stats.items()
print(json.dumps([[name, calls[1]] for (path, _, name), calls in stats if "/generator/" in path and name[0] != "<"]))
"""
"""The number of calls of each of our functions in the build after the first save, as `mkdocs serve` runs it."""
OF_ONE_PAGE = {
    *(
        "published_text",
        "fill_metadata",
        "publish",
        "frame_html",
        "provenance_line",
        "head_tags",
        "page_head",
        "own_inputs",
    ),
    *("render_template", "placeholder", "twin", "read_page", "decode_drop", "check_page", "_render", "get", "put"),
    *("call_key", "decode_page", "may_have_part", "read_page_bytes", "casing_of", "_check_plan"),
    "complete_context",
}
"""The work on a page, which only the saved one needs, and what depends on it."""


def calls_after_a_save(root: Path, pages: int) -> Counter[str]:
    """The calls of our functions in a base with so many pages, each planned and with a work cited."""
    parts = "".join(f"## PART {n}: Create a/{n}.md\n\n- [✓] PART {n}: Create a/{n}.md\n\n" for n in range(pages))
    put(root, {"plans/p.md": f"# P\n\n{parts}", "docs/index.md": "# Home\n"})
    for n in range(pages):
        work = f"[A mill](https://mill.example/{n}) (accessed 2025-11-13)"
        text = f"# Page {n}\n\nSee [it]({(n + 1) % pages}.md). From {work}.\n"
        put(root, {f"docs/a/{n}.md": f"---\ntags: [t]\n---\n{text}"})
    plugins = "[search, tags, planbook, planbook-speed]"
    (root / "mkdocs.yml").write_text(f"site_name: S\ntheme: material\nplugins: {plugins}\n", "utf-8")
    run = subprocess.run([sys.executable, "-c", COUNT], cwd=root, env=ENVIRONMENT, stdout=subprocess.PIPE, check=True)
    counts: Counter[str] = Counter()
    for name, calls in json.loads(run.stdout.splitlines()[-1]):
        counts[name] += calls
    return counts


def test_a_save_works_on_one_page(tmp_path: Path) -> None:
    """With 20 pages more, no function that works on a page is called more often."""
    few, many = (calls_after_a_save(tmp_path / str(pages), pages) for pages in (20, 40))
    per_page = {name for name, calls in many.items() if calls - few[name] >= 20}
    assert per_page, "the profile sees no function of ours"
    assert per_page & OF_ONE_PAGE == set()
