"""`planbook build` and `serve`: the site, by MkDocs, ProperDocs or Zensical."""

from __future__ import annotations

import errno
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from socketserver import BaseRequestHandler, TCPServer
from typing import TYPE_CHECKING, Any, NoReturn

import click

from planbook.cli import parameters, project
from planbook.store import Settings, output
from planbook.store.files import UserError
from planbook_cache.disk import CACHE_DIR, disk_cache

if TYPE_CHECKING:
    from mkdocs.utils import CountHandler

    from planbook.plugin.zensical import ZensicalTree

POLL_S = 0.2
"""Seconds between two looks for changed files."""
ENGINE = click.option(
    "--engine",
    type=click.Choice(["mkdocs", "properdocs", "zensical"]),
    default="mkdocs",
    show_default=True,
    help="The program that renders the pages.",
)


@click.command()
@ENGINE
@click.option("--strict", is_flag=True, help="Fail on warnings.")
@click.option(
    "--site-dir",
    type=click.Path(path_type=Path),
    help="The folder to write the site into; by default as in mkdocs.yml.",
)
@parameters.ROOT
@project.needs_extra("zensical")
def build(*, engine: str, strict: bool, site_dir: Path | None, root: Path | None) -> None:
    """Build the site into site/, or into the folder that mkdocs.yml names."""
    settings = project.project_settings(root, needs="docs")
    flags = ["--strict"] if strict else []
    output_dir = str(site_dir.resolve()) if site_dir else None
    if engine != "zensical":
        if output_dir:
            flags += ["--site-dir", output_dir]
        _become(engine, "build", settings.root / settings.config, *flags)
    tree = zensical_tree(settings, strict=strict, site_dir=output_dir)
    warnings = _log_and_count_warnings()
    with _build_folder(settings) as folder:
        files = tree.files()
        sources = {path: files[path] for path in files if not path.startswith(tree.SITE)}
        output.write_owned(folder, sources, force=True)
        code = _start_engine(engine, "build", folder / tree.CONFIG, *flags).wait()
        if strict and warnings.get_counts():
            fix = "correct their causes, or leave out --strict"
            raise click.ClickException(f"the warnings above stop a strict build; {fix}")
        if code == 0:
            site = folder / tree.SITE
            if not any(site.rglob("*.html")):
                fix = "run the command again with another engine"
                raise click.ClickException(f"Zensical has written no page; {fix}")
            # Zensical removes what it did not write from the site.
            output.write_owned(folder, files, force=True)
            output.publish(site, Path(tree.config.site_dir))
    sys.exit(code)


@click.command("serve")
@ENGINE
@click.option(
    "-a",
    "--dev-addr",
    metavar="IP:PORT",
    help="The address to serve at; by default as in mkdocs.yml.",
)
@parameters.ROOT
@project.needs_extra("zensical")
def serve_command(*, engine: str, dev_addr: str | None, root: Path | None) -> None:
    """Serve the site on this machine, and build it again when a plan or page changes. Ctrl-C ends
    it.
    """  # noqa: D205 - click prints the first paragraph, which is longer than a line
    settings = project.project_settings(root, needs="docs")
    flags = ["--dev-addr", dev_addr] if dev_addr else []
    _check_port(dev_addr or settings.dev_addr)
    if engine != "zensical":
        _become(engine, "serve", settings.root / settings.config, *flags)
    tree = zensical_tree(settings, is_serving=True)
    _log_and_count_warnings()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(project.EXIT_OK))  # ends Zensical too
    with _build_folder(settings) as folder:
        _serve_folder(tree, folder, *flags)


class _ServedPort(TCPServer):
    """A server at the address at which the site is to be served, as MkDocs opens it."""

    allow_reuse_address = True


def _check_port(address: str) -> None:
    """Raise click.ClickException if another program uses an address, before the site is built."""
    host, _, port = address.rpartition(":")
    if not port.isdecimal() or ":" in host:
        return  # the engine says what is wrong, or serves IPv6
    try:
        _ServedPort((host, int(port)), BaseRequestHandler).server_close()
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            return
        another = f"{host}:{int(port) + 1}"
        fix = f"end it, or choose another port: `planbook serve --dev-addr {another}`"
        raise click.ClickException(
            f"port {port} of {host} is in use by another program; {fix}"
        ) from error


def _serve_folder(tree: ZensicalTree, folder: Path, *flags: str) -> None:
    """Serve the folder, and prepare it again when a file changes."""
    seen = tree.file_stamps()
    files = tree.files()
    output.write_owned(folder, files, force=True)
    twin = folder / (tree.INDEX if tree.INDEX in files else tree.CONFIG)
    with _start_engine("zensical", "serve", folder / tree.CONFIG, *flags) as server:
        try:
            while server.poll() is None:
                time.sleep(POLL_S)
                now = tree.file_stamps()
                is_missing = not twin.exists()  # Zensical removes it at its start
                if now != seen or is_missing:
                    seen = now
                    _prepare_again(tree, folder)
        except KeyboardInterrupt:
            pass
        finally:
            server.terminate()


def _prepare_again(tree: ZensicalTree, folder: Path) -> None:
    """Write the folder as the files are now; after an error, the last version stays."""
    try:
        output.write_owned(folder, tree.files(), force=True)
    except (click.ClickException, UserError) as error:
        click.ClickException(str(error)).show()


def zensical_tree(settings: Settings, **options: Any) -> ZensicalTree:
    """Return the folder that Zensical builds a project's site from."""
    from planbook.plugin.zensical import ZensicalTree

    return ZensicalTree((settings.root / settings.config).resolve(), **options)


@contextmanager
def _build_folder(settings: Settings) -> Iterator[Path]:
    """Yield the folder that Zensical builds a project's site from.

    It is a temporary one while another build has it.
    """
    from planbook.plugin.generated_files import BuildFolder

    folder = BuildFolder(disk_cache(settings.root.resolve() / CACHE_DIR), "zensical")
    try:
        yield folder.path.resolve()
    finally:
        folder.commit()
        folder.release()


def _start_engine(engine: str, verb: str, config: Path, *flags: str) -> subprocess.Popen[bytes]:
    """Start a command of an engine."""
    arguments = _engine_arguments(engine, verb, config, *flags)
    return subprocess.Popen(arguments)  # noqa: S603 - an engine of this environment


def _become(engine: str, verb: str, config: Path, *flags: str) -> NoReturn:
    """Run a command of an engine in place of this one, so that signals reach it."""
    arguments = _engine_arguments(engine, verb, config, *flags)
    os.execv(sys.executable, arguments)  # noqa: S606 - an engine of this environment


def _engine_arguments(engine: str, verb: str, config: Path, *flags: str) -> list[str]:
    """Return the arguments that run a command of an engine in this environment."""
    return [sys.executable, "-m", engine, verb, "--config-file", str(config), *flags]


def _log_and_count_warnings() -> CountHandler:
    """Print what MkDocs and its plugins log, and return the counter of its warnings."""
    from mkdocs.utils import CountHandler

    logging.basicConfig(format="%(levelname)-7s -  %(message)s")
    counter = CountHandler()
    counter.setLevel(logging.WARNING)
    logger = logging.getLogger("mkdocs")
    logger.setLevel(logging.INFO)
    logger.addHandler(counter)
    return counter
