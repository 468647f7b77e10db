"""`planbook serve` at an address that another program uses."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
from click.testing import CliRunner

from planbook.cli import main


@pytest.mark.parametrize("is_configured", [False, True], ids=["option", "mkdocs.yml"])
@pytest.mark.parametrize("engine", ["mkdocs", "zensical"])
def test_a_busy_port_is_named_before_the_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: str, *, is_configured: bool
) -> None:
    """In one line, with the option that chooses another; nothing is built."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        address = f"127.0.0.1:{port}"
        config = f"site_name: Tea\nplugins: [planbook]\n{f'dev_addr: {address}' if is_configured else ''}\n"
        (tmp_path / "docs").mkdir()
        (tmp_path / "mkdocs.yml").write_text(config, encoding="utf-8")
        monkeypatch.chdir(tmp_path)
        options = [] if is_configured else ["--dev-addr", address]
        done = CliRunner().invoke(main, ["serve", "--engine", engine, *options])
    assert done.exit_code == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"Error: port {port} of 127.0.0.1 is in use by another program; ")
    assert f"`planbook serve --dev-addr 127.0.0.1:{port + 1}`" in line
    assert sorted(path.name for path in tmp_path.iterdir()) == ["docs", "mkdocs.yml"]
