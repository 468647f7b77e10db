"""Tests mirror modules: a test module named after a module of ours stands where that stands."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

from tests.conftest import ROOT

FOLDERS = {"planbook": "", "planbook_speed": "speed", "planbook_cache": "cache"}
"""The folder of `tests` of each package."""

WHOLE: Mapping[str, str] = {
    "cli": "commands are run as a whole: what they print is tested",
    "cli/mcp": "the server is asked by a client",
    "rules": "`test_every_code.py` runs each on its example in the Guide",
    "research/writers": "each is run by `planbook expand`, and most have their own, too",
}
"""Folders whose modules need no test module of their own, and why."""

TOGETHER: Mapping[str, tuple[str, str]] = {
    ".": (
        "values without behaviour: what reads and writes them is tested",
        "model problems",
    ),
    "citations": (
        "parts of `references`, `mentions` and `quotes`, tested with them",
        "additions addresses custom_fields field_values grounds report rich_text "
        "source_entries source_lists work_metadata working_tree_quotes",
    ),
    "library": (
        "parts of `link_tree`, tested by what it makes of a tree",
        "acceptances conflicts linked names top_pages",
    ),
    "markdown": (
        "parts of the normal form and of pages, tested on whole texts",
        "escape lists plain_text plan_blocks vault",
    ),
    "markdown/github": (
        "parts of one parser, tested by the examples of the specifications",
        "alerts builder container_bodies containers extension line_kinds markdown_events marks processors "
        "renderer source_form table_separators tags_in_code",
    ),
    "plan": (
        "readers of lines and labels, tested by the table of forms and by whole plans",
        "as_json base_searches body contents fields lint mark misspelled_budgets misspelled_lines "
        "misspelled_parts outline parts paths queries state tables",
    ),
    "plugin": (
        "stages of a build, tested on built sites",
        "base_reader build_context build_log configuration docs_view emit file_table list_views page_events "
        "page_output planbook_config reader_search readings setup site_addresses site_base site_build "
        "tree_reader view_digests",
    ),
    "research": (
        "values of a run",
        "drafts",
    ),
    "research/audit": (
        "an audit as a whole: `test_audit.py` has the command",
        "audit_page audited_folder findings",
    ),
    "research/audit/claims": (
        "readers of reports, tested on whole reports",
        "cited_claims placeholders report_sentences",
    ),
    "research/audit/comparison": (
        "steps to a verdict, tested on reports and their sources",
        "absent_figures claim_comparison claim_figures claim_quotes languages listed_counts moved_names "
        "near_wording read_source source_states swapped_sources wording_gaps",
    ),
    "research/audit/local_sources": (
        "files beside a report, tested with reports that cite them",
        "bibliographies local_files own_clone saved_captures",
    ),
    "research/evidence": (
        "parts of a dossier and of its print, tested with them",
        "blocks markdown_blocks pieces plain_blocks shown source_list",
    ),
    "research/expand": (
        "stages of a run, tested with the real command",
        "cancellation context current_origins forecast jobs reading_list",
    ),
    "research/submission": (
        "steps of a submission, tested with the real command",
        "activity gathered_works giving_up joint_commit lines_of_file page_check refusals submit_result unanswered",
    ),
    "research/proof": (
        "rules for drafts, tested on whole drafts",
        "cited_texts differences exchanged_options inventions page_references parsed_draft quoting_blocks "
        "source_reader",
    ),
    "research/recording": (
        "values and texts of the recorder, tested with it and with the real command",
        "clock commit_message config events file_digests page_attempt uncommitted verdicts",
    ),
    "research/search": (
        "read by the providers, tested with them",
        "addressed",
    ),
    "research/web": (
        "steps of one request or conversion, tested on served pages",
        "authority code_blocks connection fixed_layout html_tables html_to_markdown inline_markdown "
        "main_content model reach readers responses",
    ),
    "research/writers/quote_choice": (
        "values, tested by what is chosen for them",
        "cited_group",
    ),
    "runners": (
        "texts for hosts, tested by what is installed",
        "description hosts json_text toml_text",
    ),
    "speed": (
        "parts of a build, tested by comparing sites",
        "build_setup page_html page_records protocols",
    ),
    "store": (
        "tables of settings, tested by reading them",
        "blogs cited_files options working_tree",
    ),
    "views": (
        "parts of pages, tested by golden files",
        "cards overview page_heads reports template trust written",
    ),
    "views/answers": (
        "tested by what the tools of the server answer",
        "answer_size base_answers base_search page_texts",
    ),
    "views/bibliography": (
        "formats of works, tested by the downloads",
        "bibtex csl html_text quote_links",
    ),
}
"""Modules without a test module of their name, by folder, with the reason. A new module is tested by its own."""

BEHAVIOURS: Mapping[str, str] = {
    "bench/test_quotes.py": "the bench's own quotes",
    "browser/test_progress.py": "the page as a reader sees it",
    "browser/test_reading.py": "reading a page in a browser",
    "browser/test_search.py": "the search in a browser",
    "browser/test_sources.py": "the page as a reader sees it",
    "install/test_neighbours.py": "the plugins that people use beside ours",
    "plugin/test_agents.py": "the site's lists for agents",
    "plugin/test_engines.py": "builds by three engines",
    "plugin/test_extensions.py": "extensions of Markdown on a site",
    "plugin/test_reasons.py": "the reasons for rebuilding that a site gives",
    "plugin/test_serve.py": "`mkdocs serve` with our plugins",
    "plugin/test_vault.py": "a vault as a site",
    "research/expand/test_command.py": "the writer `command` in a run",
    "research/expand/test_mirrors.py": "a run that reads mirrors",
    "research/expand/test_options.py": "the options of a run",
    "research/expand/test_refresh.py": "a run that makes pages anew",
    "research/audit/test_audit.py": "the command, with all rules for audits",
    "research/proof/test_quotations.py": "quotations in drafts",
    "rules/test_report.py": "the formats of reports on Problems",
    "speed/test_edits.py": "edits of pages while a site is served",
    "speed/test_neighbours.py": "the plugins that people use beside ours",
}
"""Test modules of a behaviour that has the name of a module elsewhere."""


def folders_of_modules() -> Mapping[str, set[str]]:
    """Return the folders of `tests` in which the tests of a module may stand, by its name."""
    folders: dict[str, set[str]] = defaultdict(set)
    for path in (ROOT / "generator").rglob("*.py"):
        package, *inner = path.relative_to(ROOT / "generator").parent.parts
        if not path.stem.startswith("__"):
            folders[path.stem].add("/".join(filter(None, (FOLDERS[package], *inner))) or ".")
    return folders


def test_a_test_module_stands_where_its_module_stands() -> None:
    """`tests/plan/test_forms.py` is about `planbook.plan.forms`; other behaviours with a module's name are listed."""
    tests = ROOT / "tests"
    folders = folders_of_modules()
    elsewhere = {
        path.relative_to(tests).as_posix()
        for path in tests.rglob("test_*.py")
        if (name := path.stem.removeprefix("test_")) in folders
        and path.relative_to(tests).parent.as_posix() not in folders[name]
    }
    assert elsewhere == BEHAVIOURS.keys()


def test_a_module_has_its_test_module() -> None:
    """Others are listed as tested together, and none is listed that has its own."""
    without = {
        (folder, name)
        for name, folders in folders_of_modules().items()
        for folder in folders
        if folder not in WHOLE and not Path(ROOT, "tests", folder, f"test_{name}.py").exists()
    }
    assert without == {(folder, name) for folder, (_, names) in TOGETHER.items() for name in names.split()}
