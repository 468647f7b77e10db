"""The Problems of a base in the log of a build."""

from __future__ import annotations

import logging

from mkdocs.plugins import get_plugin_logger

from planbook.library import Library
from planbook.markdown import plain_text
from planbook.problems import Severity, severity
from planbook.views.written import summary

log = get_plugin_logger("planbook")


def log_problems(library: Library, docs_dir: str, mode: str) -> None:
    """Log errors as warnings, which stop a strict build, and other Problems as the mode says.

    Args:
        library: the base.
        docs_dir: the folder of the pages, relative to the project's folder.
        mode: the option ``problems``: a ``summary``, a ``list``, or ``warn``.
    """
    warned = {Severity.ERROR, Severity.WARNING} if mode == "warn" else {Severity.ERROR}
    for problem in library.problems:
        is_severe = severity(problem.code) in warned
        if mode == "summary" and not is_severe:
            continue
        level = logging.WARNING if is_severe else logging.INFO
        is_of_page = problem.code.startswith("K") and problem.uri in library.page_by_uri
        uri = f"{docs_dir}/{problem.uri}" if is_of_page else problem.uri
        log.log(level, "%s:%d: %s %s", uri, problem.line, problem.code, problem.message)
    tail = ""
    if library.problems:
        problems = plain_text.count(len(library.problems), "problem").capitalize()
        tail = f" {problems} (run `planbook check`)."
    log.info("%s%s", summary(library), tail)


def let_warnings_count() -> None:
    """Let warnings reach a strict build, which counts them: with ``-q`` they would be left out."""
    for name in ("mkdocs", "properdocs"):
        logger = logging.getLogger(name)
        logger.setLevel(min(logger.level, logging.WARNING))
