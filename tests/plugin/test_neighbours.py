"""Beside other plugins, hooks and their extensions, a site builds as it does without Planbook."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from markdown.extensions.footnotes import FootnoteExtension
from mkdocs.config import base
from mkdocs.config import config_options as opt
from mkdocs.plugins import BasePlugin
from pymdownx.superfences import SuperFencesCodeExtension

from planbook.markdown.extensions import named_options, read_syntax
from planbook.plugin.configuration import missing_extensions
from planbook.plugin.neighbours import GitExclusions, blog_files
from tests import forks
from tests.files import put
from tests.plugin.conftest import ENVIRONMENT, Project, build, built_strictly
from tests.plugin.neighbours import configuration
from tests.repositories import git

PLAN = {"plans/x.md": "## PART 1: Create notes/b.md\n\n- [ ] PART 1: Create notes/b.md\n"}
PAGES = {"docs/index.md": "# Home\n", "docs/notes/a.md": "# A note\n\nSee [[p]].\n"}


# --- instances of extensions ---------------------------------------------------------------------------------------


class OwnFootnotes(FootnoteExtension):
    """An extension that a user derived from another one."""


def test_an_instance_counts_as_the_extension_that_it_is() -> None:
    """What a hook has appended is not added again, whether by name, as an instance, or as one of a derived class."""
    assert "footnotes" not in missing_extensions([FootnoteExtension()])
    assert "footnotes" not in missing_extensions([OwnFootnotes()])
    assert "footnotes" in missing_extensions([SuperFencesCodeExtension(), "toc"])


def test_options_of_an_instance_are_read() -> None:
    """A custom fence of an instance is one of the site's; a configured name keeps its options."""
    fences = SuperFencesCodeExtension(custom_fences=[{"name": "drawing", "class": "x"}])
    options = named_options([fences, "toc", "pymdownx.tabbed"], {"toc": {"permalink": True}})
    assert options["toc"] == {"permalink": True}
    syntax = read_syntax(options)
    assert "drawing" in syntax.fences
    assert "tabs" in syntax.kinds


HOOK = """
from markdown.extensions import Extension
from markdown.extensions.footnotes import FootnoteExtension

class Unhashable(Extension):
    __hash__ = None
    def extendMarkdown(self, md):
        pass

def on_config(config):
    config.markdown_extensions += [FootnoteExtension(BACKLINK_TEXT="up again"), Unhashable()]
"""


@pytest.mark.parametrize("plugins", [["planbook"], ["planbook", "planbook-speed"], ["planbook-speed", "planbook"]])
def test_a_hook_may_append_instances(project: Project, plugins: list[str]) -> None:
    """The site is built, with the options that the hook gave its extension."""
    pages = {"docs/index.md": "# Home\n\nA note[^1].\n\n[^1]: Here.\n"}
    root = project({"mkdocs.yml": configuration(plugins, hooks=["hook.py"]), "hook.py": HOOK, **pages})
    assert "up again</a>" in built_strictly(root).html("")


PATHS = """
from pathlib import Path
from mkdocs.plugins import event_priority

@event_priority(-100)
def on_files(files, config):
    assert all(Path(file.abs_src_path).is_file() for file in files)
"""


def test_every_file_has_a_path(project: Project) -> None:
    """Plugins that read the files last, as static-i18n does, find each of ours on disk; scripts are compact."""
    root = project({"mkdocs.yml": configuration(["planbook"], hooks=["hook.py"]), "hook.py": PATHS, **PLAN, **PAGES})
    script = (built_strictly(root).site / "assets/planbook/by-need.js").read_text("utf-8")
    assert "\n  " not in script


MERGED = """
import shutil
import tempfile

def on_config(config):
    copy = tempfile.mkdtemp()
    shutil.copytree(config.docs_dir, copy, dirs_exist_ok=True)
    config.docs_dir = copy
"""


def test_a_page_to_be_written_has_its_own_place(project: Project) -> None:
    """Also beside a plugin that lets MkDocs read a copy of the pages in a temporary folder, as monorepo does."""
    root = project({"mkdocs.yml": configuration(["planbook"], hooks=["hook.py"]), "hook.py": MERGED, **PLAN, **PAGES})
    assert "write <code>docs/notes/b.md</code>" in built_strictly(root).html("notes/b")


# --- Material's blog -----------------------------------------------------------------------------------------------


POST = "---\ndate: 2026-01-02\ncategories: [Cat]\n---\n# P\n\nText\n"
BLOG_PAGES = PAGES | {
    "docs/blog/about.md": "# About this blog\n",
    "docs/blog/posts/topic/p.md": POST,
    "docs/blog/category/cat.md": "# Cat\n\nMy own page of this category.\n",
}
OPTIONS = {"blog": {"blog_dir": "blog"}}


@pytest.mark.parametrize("others", [[], ["planbook-speed"]], ids=["alone", "with speed"])
def test_a_blog_keeps_its_folders(tmp_path: Path, others: list[str]) -> None:
    """In both orders, the site has the blog's pages at its addresses, in its navigation, and no index among posts."""
    sites = {}
    for name, plugins in (("first", ["planbook", OPTIONS]), ("last", [OPTIONS, "planbook"])):
        root = tmp_path / name
        for path, text in {"mkdocs.yml": configuration([*plugins, *others]), **PLAN, **BLOG_PAGES}.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, "utf-8")
        built = built_strictly(root)
        sites[name] = {path.relative_to(built.site).as_posix() for path in built.site.rglob("*.html")}
        assert 'href="../../blog/2026/01/02/p/"' in built.html("notes/a")
        navigation = built.html("").partition("md-nav--primary")[2].partition("md-content")[0]
        for address in ("blog/", "blog/about/", "blog/archive/2026/", "blog/category/cat/"):
            assert f'href="{address}"' in navigation
        assert "posts" not in navigation
        assert "My own page of this category." in built.html("blog/category/cat")
    assert sites["first"] == sites["last"]
    assert "blog/2026/01/02/p/index.html" in sites["first"]
    assert not [path for path in sites["first"] if "posts" in path]


@pytest.mark.parametrize("options", [{"post_dir": "."}, {"blog_dir": "."}, {"blog_dir": ".", "post_dir": "."}])
@pytest.mark.parametrize("is_last", [True, False])
def test_a_blog_in_the_top_folder(tmp_path: Path, options: dict[str, str], is_last: bool) -> None:
    """The site is built, with the blog's pages as without planbook, and those of the plan."""
    blog = {"blog": {"blog_dir": "blog", **options}}
    both = ["planbook", blog] if is_last else [blog, "planbook"]
    settings = {"mkdocs.yml": configuration(both), "plain.yml": configuration([blog])}
    put(tmp_path, {**PLAN, **BLOG_PAGES, **settings})
    built = built_strictly(tmp_path)
    plain = forks.run("mkdocs", "build", "-q", "-f", "plain.yml", "-d", "plain", cwd=tmp_path, env=ENVIRONMENT)
    assert plain.returncode == 0, plain.stderr
    pages = {path.relative_to(tmp_path / "plain") for path in (tmp_path / "plain").rglob("*.html")}
    assert {page for page in pages if not (built.site / page).exists()} == set()


POSTS = {
    "plans/p.md": """# Post

## PART 1: Create blog/posts/first.md

- [ ] PART 1: Create blog/posts/first.md

## PART 2: Create blog/posts/topic/p.md

- [x] PART 2: Create blog/posts/topic/p.md (Completed 2026-11-20 10:00 UTC)

## PART 3: Create notes/c.md

- [ ] PART 3: Create notes/c.md

Builds on blog/posts/first.md and notes/b.md.
""",
    "plans/q.md": "# Diary\n\n## PART 1: Create diary/e/1.md\n\n- [ ] PART 1: Create diary/e/1.md\n",
}
TWO_BLOGS = [OPTIONS, {"blog": {"blog_dir": "diary", "post_dir": "diary/e"}}]


OURS = {"planbook": {"problems": "list"}}
LISTED = ["plans/p.md:5: P022 PART 1's page blog/posts/first.md", "plans/q.md:5: P022 PART 1's page diary/e/1.md"]


@pytest.mark.parametrize(
    ("plugins", "expected"),
    [
        ([OURS, *TWO_BLOGS], LISTED),
        ([*TWO_BLOGS, OURS], LISTED),
        ([OURS, "planbook-speed", *TWO_BLOGS], LISTED),
        ({**OURS, **OPTIONS}, LISTED[:1]),
    ],
    ids=["first", "last", "with speed", "as a mapping"],
)
def test_nothing_is_generated_among_posts(project: Project, plugins: Any, expected: list[str]) -> None:
    """A PART among the posts is left out with one Problem, in a strict build and in `check`; a written post is kept."""
    files = {**PLAN, **BLOG_PAGES, **POSTS, "docs/diary/index.md": "# Diary\n", "docs/diary/e/2.md": POST}
    root = project({"mkdocs.yml": configuration(plugins), **files})
    built = built_strictly(root)
    told = [line.partition("planbook: ")[2] for line in built.log.splitlines() if "P022" in line]
    assert [line.partition(" is in ")[0] for line in told] == expected
    assert "P030" not in built.log
    made = {path.relative_to(built.site).as_posix() for path in built.site.rglob("*.html")}
    assert {"blog/2026/01/02/p/index.html", "notes/c/index.html"} <= made
    assert not [path for path in made if "posts" in path or "first" in path]
    checked = forks.run("planbook", "check", "--format", "json", cwd=root, env=ENVIRONMENT)
    found = [row for row in json.loads(checked.stdout)["problems"] if row["code"] == "P022"]
    assert [f"{row['uri']}:{row['line']}" for row in found] == [line.partition(": ")[0] for line in expected]


class BlogOptions(base.Config):
    """Options like those of Material's plugin."""

    enabled = opt.Type(bool, default=True)
    blog_dir = opt.Type(str, default="blog")
    post_dir = opt.Type(str, default="{blog}/posts")
    archive_url_format = opt.Type(str, default="archive/{date}")


class Blog(BasePlugin[BlogOptions]):
    """A plugin with these options."""


def plugin(kind: type[BasePlugin[Any]], **options: object) -> BasePlugin[Any]:
    """An instance of a plugin with these options."""
    made = kind()
    errors, _ = made.load_config(options)
    assert not errors
    return made


def test_each_blog_of_a_site_has_its_folders() -> None:
    """Folders of posts and of lists of posts, as configured; a blog that is switched off has none."""
    plugins = {
        "material/blog": plugin(Blog),
        "material/blog #2": plugin(Blog, blog_dir="./diary/", post_dir="{blog}/entries", archive_url_format="{date}"),
        "material/blog #3": plugin(Blog, blog_dir="off", enabled=False),
        "another": object(),
    }
    files = blog_files(plugins)
    assert files.folders == ("blog/posts", "blog/archive", "diary/entries")
    assert files.entries == ("blog/index.md", "diary/index.md")
    assert "blog/posts/a/b.md" in files
    assert "blog/posts.md" not in files
    assert "off/posts/a.md" not in files


# --- plugins that read git's history -------------------------------------------------------------------------------


class HistoryOptions(base.Config):
    """Options of a plugin that reads git's history."""

    exclude = opt.Type(list, default=[])


class History(BasePlugin[HistoryOptions]):
    """A plugin with these options."""


def test_exclusions_are_for_one_build() -> None:
    """The list is changed in place, by patterns that match only these pages, and is the user's own afterwards."""
    reader, other = plugin(History, exclude=["own/*"]), plugin(History)
    patterns = reader.config["exclude"]
    exclusions = GitExclusions({"git-history": reader, "history": other, "git-x": plugin(Blog)}, ["a[1]*?.md"])
    assert reader.config["exclude"] is patterns
    assert patterns == ["own/*", "a[[]1][*][?].md"]
    assert other.config["exclude"] == []
    exclusions.undo()
    assert patterns == ["own/*"]


GIT_HOOK = dedent("""
    import fnmatch, logging, subprocess
    from mkdocs.config import base, config_options as opt
    from mkdocs.plugins import BasePlugin

    class Options(base.Config):
        exclude = opt.Type(list, default=[])

    class History(BasePlugin[Options]):
        def on_page_content(self, html, page, **kwargs):
            path = page.file.abs_src_path
            if not any(fnmatch.fnmatchcase(page.file.src_path, pattern) for pattern in self.config.exclude):
                found = subprocess.run(["git", "log", "--format=%h", path], capture_output=True, text=True)
                if not found.stdout:
                    logging.getLogger("mkdocs.plugins").warning("%s has no history", path)
            return html

    def on_config(config):
        plugin = History()
        plugin.load_config({"exclude": []})
        config.plugins["git-history"] = plugin
    """)


def test_plugins_that_read_git_skip_generated_pages(project: Project) -> None:
    """A strict build has no warning of a generated page without a history, but still of a user's page without one."""
    hook = {"hook.py": GIT_HOOK, ".gitignore": ".cache\nsite\n", "docs/[x] a.md": "# X\n"}
    config = configuration(["planbook", "tags"], hooks=["hook.py"])
    root = project({"mkdocs.yml": config, **hook, **PLAN, **PAGES, "docs/notes/a.md": "---\ntags: [x]\n---\n# A\n"})
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-qm", "All"]):
        git(root, *arguments)
    built_strictly(root)
    (root / "docs/new.md").write_text("# New\n", "utf-8")
    log = build(root, "--strict").log
    assert log.count("has no history") == 1
    assert "docs/new.md has no history" in log
