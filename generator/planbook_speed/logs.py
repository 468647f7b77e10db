"""Records of the log, which are logged again where what caused them is taken from the cache."""

from __future__ import annotations

import logging
import warnings
from types import TracebackType
from typing import Any


class LogRecorder(logging.Handler):
    """Records all log records, and whether Python issued a warning, while entered."""

    def __init__(self) -> None:
        super().__init__(logging.NOTSET)
        self.records: list[tuple[str, int, str]] = []
        self.has_warned = False
        self._last: logging.LogRecord | None = None
        self._show_warning = warnings.showwarning
        """Python's function, while ours is in its place."""

    def emit(self, record: logging.LogRecord) -> None:
        """Record the logger's name, the level and the message.

        Not those of a verbose build alone: all builds keep the same.
        """
        # It comes once for each logger above.
        if record is not self._last and record.levelno >= logging.INFO:
            self._last = record
            self.records.append((record.name, record.levelno, record.getMessage()))

    def __enter__(self) -> LogRecorder:
        self._show_warning = warnings.showwarning
        warnings.showwarning = self._note_warning
        for logger in _top_loggers():
            logger.addHandler(self)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        for logger in _top_loggers():
            logger.removeHandler(self)
        warnings.showwarning = self._show_warning

    def _note_warning(self, *args: Any, **kwargs: Any) -> None:
        self.has_warned = True
        self._show_warning(*args, **kwargs)


def _top_loggers() -> list[logging.Logger]:
    """Return the loggers that do not propagate.

    The root, and those that the engine separates from it.
    """
    known: Any = logging.Logger.manager.loggerDict.values()
    return [
        logging.getLogger(),
        *(logger for logger in known if not getattr(logger, "propagate", True)),
    ]


def is_verbose() -> bool:
    """Return True in a verbose build, in which MkDocs logs more."""
    return logging.getLogger("mkdocs.structure.pages").getEffectiveLevel() <= logging.DEBUG


def levels() -> str:
    """Return the effective log levels.

    A cached rendering is valid only for levels at which it was recorded.
    """
    loggers = [logging.getLogger(name) for name in ("", "mkdocs", "properdocs")]
    # Not below INFO: verbose builds and others reuse each other's pages.
    effective = [max(logging.INFO, logger.getEffectiveLevel()) for logger in loggers]
    return " ".join(map(str, effective))


def log_again(records: list[tuple[str, int, str]]) -> None:
    """Log the records again, as if they occurred now."""
    for name, level, message in records:
        logger = logging.getLogger(name)
        if logger.isEnabledFor(level):
            logger.handle(logger.makeRecord(name, level, "", 0, message, (), None))


def silence() -> None:
    """Silence all loggers of this process; a LogRecorder still records them."""
    loggers = [
        logging.getLogger(),
        *map(logging.getLogger, list(logging.Logger.manager.loggerDict)),
    ]
    for logger in loggers:
        for handler in list(logger.handlers):
            logger.removeHandler(handler)
    for logger in _top_loggers():
        logger.addHandler(logging.NullHandler())  # without any, Python writes to the standard error
    warnings.showwarning = lambda *_args, **_named: None
