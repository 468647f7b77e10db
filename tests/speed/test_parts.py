"""Each part does what it is there for, and says so where it cannot."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from planbook_speed.cache import CACHE_DIR, DATA, PLACE, DiskCache
from tests.speed.conftest import Engine, Site

HOOK = """
from pathlib import Path
COUNTER = Path(__file__).with_name("counted")

def on_page_markdown(markdown, **_):
    COUNTER.write_text(str(int(COUNTER.read_text()) + 1) if COUNTER.exists() else "1")
    return markdown + f"\\n\\nNumber {COUNTER.read_text()}.\\n"
"""
WHO = """
import os
from pathlib import Path
from mkdocs.exceptions import PluginError

def on_page_markdown(markdown, page, **_):
    Path(__file__).with_name("who").mkdir(exist_ok=True)
    Path(__file__).with_name("who").joinpath(str(os.getpid())).touch()
    if "Fails" in markdown:
        raise PluginError(f"{page.file.src_uri} fails")
"""
EXTENSION = """
from markdown.extensions import Extension
from markdown.preprocessors import Preprocessor

class Fresh(Preprocessor):
    def run(self, lines):
        return [*lines, "", open("SEEN").read()]

class FreshExtension(Extension):
    def extendMarkdown(self, md):
        md.preprocessors.register(Fresh(md), "fresh", 30)

def makeExtension(**options):
    return FreshExtension(**options)
"""


def entries(site: Site) -> list[Path]:
    """The files of the cache."""
    return sorted(DiskCache(site.root / CACHE_DIR).folder.glob("*.*"))


def keys(site: Site) -> list[str]:
    """The keys of its entries."""
    indexes = [path.read_bytes() for path in entries(site) if path.suffix != DATA]
    return [key.hex() for raw in indexes for key, *_ in PLACE.iter_unpack(raw)]


def test_pages_are_found_rendered(site: Site) -> None:
    """A second build shows what the cache holds, even if that is another text, where it writes a page again."""
    site.quick()
    cache = DiskCache(site.root / CACHE_DIR)
    for key in keys(site):
        if html := cache.get(key, str):
            cache.put(key, html.replace("Last words", "Other words"))
    shutil.rmtree(site.root / "site")
    site.quick()
    assert "Other words of 1." in (site.root / "site/1/index.html").read_text("utf-8")


def test_a_broken_cache_makes_no_difference(site: Site) -> None:
    """Entries that are cut, altered or empty are made anew."""
    site.quick()
    for n, path in enumerate(entries(site)):
        raw = path.read_bytes()
        path.write_bytes([raw[: len(raw) // 2], raw.replace(b"a", b"b"), b""][n % 3])
    site.assert_same()


def test_a_cache_that_is_a_file_makes_no_difference(site: Site) -> None:
    """The build says that nothing could be kept."""
    site.write(".cache", "in the way")
    assert "could not be written" in "".join(site.assert_same().said)


def test_a_cache_keeps_all_that_its_last_build_used(site: Site) -> None:
    """A base that needs more than the limit would be rendered again in each build, and twice in the first one."""
    seen = site.root / "seen.txt"
    site.write("fresh.py", EXTENSION.replace('open("SEEN").read()', f"str(open({str(seen)!r}, 'a').write('.'))"))
    site.config["markdown_extensions"].append("fresh")
    site.options["pure"], site.options["cache_mib"] = ["fresh"], 0
    site.engine = Engine(PYTHONPATH=os.pathsep.join([os.environ["PYTHONPATH"], str(site.root)]))
    site.quick()
    site.engine.close()
    assert len(seen.read_text("utf-8")) == len(list((site.root / "docs").rglob("*.md")))


def test_a_hook_that_counts_is_run_once_a_page(site: Site) -> None:
    """Pages are not rendered ahead where an event is listened to by an unknown plugin, and the build says so."""
    site.write("hook.py", HOOK)
    site.config["hooks"] = ["hook.py"]
    said = site.quick().said
    pages = len(list((site.root / "docs").rglob("*.md")))
    assert (site.root / "counted").read_text("utf-8") == str(pages)
    assert len(said) == 1
    assert "may not support running on_page_markdown twice" in said[0]


def test_pages_are_rendered_by_more_than_one_process(site: Site) -> None:
    """The build itself and its workers, where all that touches pages bears it; a build of what is known has none."""
    site.write("hook.py", WHO)
    site.config["hooks"] = ["hook.py"]
    site.options["repeatable"] = ["hook.py"]
    assert site.quick().said == []
    assert len(list((site.root / "who").iterdir())) > 2
    shutil.rmtree(site.root / "who")
    site.assert_same()
    assert len(list((site.root / "who").iterdir())) == 1


def test_a_page_that_fails_in_a_worker_fails_in_its_turn(site: Site) -> None:
    """The build ends with the error of the first such page, told once, after the warnings of those before it."""
    site.write("hook.py", WHO)
    site.config["hooks"] = ["hook.py"]
    site.options["repeatable"] = ["hook.py"]
    for uri in ("rye/dark/3.md", "wheat/1.md"):
        site.write(f"docs/{uri}", "Fails\n\n" + 20_000 * "long ")
    plain = site.plain()
    site.engine = Engine()  # MkDocs says the same only once in a process
    quick = site.quick()
    site.engine.close()
    assert plain.code == quick.code == 1
    assert plain.log == quick.log
    assert "".join(quick.log).count("fails") == 1


def test_an_extension_that_is_not_known_renders_anew(site: Site) -> None:
    """What it reads besides the page is not seen, so nothing is kept; one that is said to be pure is believed."""
    site.write("seen.txt", "First state.")
    site.write("fresh.py", EXTENSION.replace("SEEN", str(site.root / "seen.txt")))
    site.config["markdown_extensions"].append("fresh")
    site.engine = Engine(PYTHONPATH=os.pathsep.join([os.environ["PYTHONPATH"], str(site.root)]))
    assert "the extension fresh may depend on more" in "".join(site.assert_same().said)
    site.write("seen.txt", "Second state.")
    site.assert_same()
    assert "Second state." in (site.root / "site/1/index.html").read_text("utf-8")
    site.options["pure"] = ["fresh"]
    assert site.assert_same().said == []
    site.write("seen.txt", "Third state.")
    site.quick()
    assert "Second state." in (site.root / "site/1/index.html").read_text("utf-8")
    site.engine.close()
