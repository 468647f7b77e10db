"""Run a program without a shell, with few environment variables, a timeout and a sandbox.

The sandbox is bubblewrap: a program can read the system but not change it; it may write its own
folder and those that the user names; it cannot connect to Unix sockets. An installed bubblewrap may
not be allowed to create namespaces, so `find_sandbox` tries it.
"""

from __future__ import annotations

import contextlib
import errno
import os
import platform
import shutil
import signal
import struct
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from planbook.research.git import reduce_environment

MAX_OUTPUT = 200_000
"""Maximum number of bytes of a program's output that are kept."""
_POLL_S = 0.05
_GRACE_S = 2.0
"""Seconds that a program has to exit after SIGTERM."""


@dataclass(frozen=True, slots=True)
class Ran:
    """Result of running a program."""

    exit_status: int | None
    """Its exit status; negative if a signal ended it; ``None`` if it timed out."""
    output: str
    """The start of its output."""
    is_cut: bool
    """True if it printed more."""


def run(  # noqa: PLR0913 - the options of a program, each by name
    argv: Sequence[str],
    *,
    folder: Path,
    env: Mapping[str, str],
    stdin: Path,
    timeout_s: float,
    check: Callable[[], None],
    inherited: Sequence[int] = (),
) -> Ran:
    """Run a program and return its result.

    It runs in its own process group, which is ended with it. It reads the file `stdin`, and has the
    open files `inherited`. The first `MAX_OUTPUT` bytes of its output are kept; it may print more.

    Raises:
        OSError: It cannot be started.
        Exception: Whatever `check` raises while it runs.
    """
    with stdin.open("rb") as file:
        process = subprocess.Popen(  # noqa: S603 - the user's arguments, which no shell parses
            list(argv),
            cwd=folder,
            env=dict(env),
            stdin=file,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            pass_fds=inherited,
        )
    output = bytearray()
    reader = threading.Thread(target=_drain, args=(process, output, MAX_OUTPUT + 1), daemon=True)
    reader.start()
    ends = time.monotonic() + timeout_s
    try:
        while process.poll() is None and time.monotonic() < ends:
            check()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(_POLL_S)
        exit_status = process.poll()
    finally:
        _end(process)
        reader.join(_GRACE_S)  # a process that left the group may keep the pipe open for ever
    text = bytes(output[:MAX_OUTPUT]).decode("utf-8", errors="replace")
    return Ran(exit_status, text, is_cut=len(output) > MAX_OUTPUT)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the program and its group.

    The group has the program's id even after the program itself has exited.
    """
    for sign in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, sign)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE_S)


def _drain(process: subprocess.Popen[bytes], output: bytearray, max_bytes: int) -> None:
    """Read a program's output to its end, and keep its first bytes."""
    if not process.stdout:
        return
    with process.stdout as pipe:
        while chunk := os.read(pipe.fileno(), 65_536):
            output += chunk[: max_bytes - len(output)]


# --- sandbox --------------------------------------------------------------------------------------

_HIDDEN_FOLDERS = ("/tmp", "/run")  # noqa: S108 - not used, but hidden
"""Folders replaced by empty ones: they hold files of other programs and sessions."""
_NAMES = Path("/etc/resolv.conf")
_NOT_WORKING = "bubblewrap does not work here"
_TRIAL_S = 5.0
"""Time in seconds in which the trial of a sandbox ends."""
_CALLS = {"x86_64": (0xC000003E, 41, 53), "aarch64": (0xC00000B7, 198, 199)}
"""The audit number of an architecture, and its numbers of `socket` and `socketpair` (Linux's
syscall tables)."""
_IO_URING_SETUP = 425
_INET, _INET6, _NETLINK = 2, 10, 16
_STREAM, _SEQPACKET = 1, 5
"""Linux's numbers; `socket` has not all of them elsewhere."""


@contextlib.contextmanager
def open_filter() -> Iterator[int]:
    """Yield a file with the system call filter, for `Sandbox.wrap`.

    Raises KeyError on an unknown architecture.

    A read-only mount does not keep a program from connecting to a Unix socket, and a namespace of
    networks not from connecting to the machine's host (AF_VSOCK). So only sockets of the internet,
    and those that ask the kernel about it, can be made: no other by ``socket``, no pair of datagram
    sockets, which can send elsewhere, and none by io_uring or another architecture's calls. Pairs
    of stream sockets, which are connected for ever, stay.
    """
    source, sink = os.pipe()
    try:
        with os.fdopen(sink, "wb") as file:
            file.write(_syscall_filter(*_CALLS[platform.machine()]))
        yield source
    finally:
        os.close(source)


def _syscall_filter(architecture: int, socket: int, pair: int) -> bytes:
    """Return a BPF program (https://docs.kernel.org/userspace-api/seccomp_filter.html)."""
    load, equal, least, mask, give = 0x20, 0x15, 0x35, 0x54, 0x06
    allow, deny = 16, 17
    # Each row: operation, the rows that follow if it is true or false, operand.
    rows = [
        (load, 1, 1, 4),
        (equal, 2, deny, architecture),
        (load, 3, 3, 0),
        (least, deny, 4, 0x40000000),  # the x32 calls of x86_64
        (equal, deny, 5, _IO_URING_SETUP),
        (equal, 8, 6, socket),
        (equal, 12, 7, pair),
        (give, 8, 8, 0x7FFF0000),
        (load, 9, 9, 16),
        (equal, allow, 10, _INET),
        (equal, allow, 11, _INET6),
        (equal, allow, deny, _NETLINK),
        (load, 13, 13, 24),
        (mask, 14, 14, 0xF),
        (equal, allow, 15, _STREAM),
        (equal, allow, deny, _SEQPACKET),
        (give, 17, 17, 0x7FFF0000),
        (give, 18, 18, 0x00050000 | errno.EPERM),
    ]
    return b"".join(
        struct.pack("HBBI", op, true - n, false - n, k)
        for n, (op, true, false, k) in enumerate(rows, 1)
    )


@dataclass(frozen=True, slots=True)
class Sandbox:
    """A bubblewrap that works on this machine."""

    program: str
    visible: tuple[Path, ...] = ()
    """Folders that can be read even inside a hidden one."""
    writable: tuple[Path, ...] = ()
    """Folders that may be written in addition to the program's own."""
    has_network: bool = False
    is_root: bool = field(default_factory=lambda: os.geteuid() == 0)
    """True if the program runs as root, who owns the files of `/proc`."""

    @property
    def bounds(self) -> str:
        """Its permissions, in words."""
        writes = "".join(f" and {path}" for path in self.writable)
        network = "with the network" if self.has_network else "without network"
        own_copy = "its own copy of the project"
        return f"confined by bubblewrap, {network}; it writes to {own_copy}{writes}"

    def wrap(
        self, argv: Sequence[str], top: Path, folder: Path, filtered: int, search: str = ""
    ) -> list[str]:
        """Return the command that runs `argv` in `folder`, below the writable `top`.

        `filtered` is the file of `open_filter`, which the command inherits; `search` is its PATH.
        """
        command = [self.program, "--unshare-all", "--die-with-parent", "--cap-drop", "ALL"]
        if self.has_network:
            command.append("--share-net")
        command += ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
        command += self._proc_options
        for hidden_folder in _HIDDEN_FOLDERS:
            command += ["--tmpfs", hidden_folder]
        # The order counts: what is visible or writable may be inside a hidden folder.
        for path in self._visible_in_hidden(argv, search):
            command += ["--ro-bind-try", str(path), str(path)]
        for path in (*self.writable, top):
            command += ["--bind", str(path), str(path)]
        command += ["--chdir", str(folder), "--seccomp", str(filtered), "--"]
        return [*command, *argv]

    def _visible_in_hidden(self, argv: Sequence[str], search: str) -> list[Path]:
        """Return the folders inside hidden ones that the program needs to read."""
        places = [*search.split(":"), str(Path(argv[0]).parent)]
        places_visible = [
            *self.visible,
            *(Path(written_path) for written_path in places if written_path),
        ]
        if self.has_network:
            places_visible.append(_NAMES.resolve())
        return [
            path
            for path in places_visible
            if any(path.is_relative_to(written_path) for written_path in _HIDDEN_FOLDERS)
        ]

    @property
    def _proc_options(self) -> tuple[str, ...]:
        """The options that keep a program from changing the system through `/proc`.

        bubblewrap makes `/proc/sys` read-only only if its folder can be written, but root owns
        the files in it: ``core_pattern``, for example, names a program that runs outside. Root gets
        a read-only `/proc`. Others own nothing there but their processes, whose files they need
        for sandboxes of their own; everyone may write to `/proc/pressure`.
        """
        if self.is_root:
            return ("--remount-ro", "/proc")
        read_only = ("/proc/sys", "/proc/pressure")
        return tuple(word for path in read_only for word in ("--ro-bind-try", path, path))


def find_sandbox(
    environ: Mapping[str, str],
    folder: Path,
    *,
    visible: Sequence[Path] = (),
    writable: Sequence[Path] = (),
    has_network: bool = False,
) -> Sandbox | str:
    """Return a sandbox that works on this machine, or a short reason why there is none.

    It is tried on a no-op program, for which `folder` is the writable one.
    """
    search = environ.get("PATH")
    program = shutil.which("bwrap", path=search)
    no_op = shutil.which("true", path=search)
    if program is None or no_op is None:
        return "bubblewrap is not installed"
    sandbox = Sandbox(program, tuple(visible), tuple(writable), has_network)
    try:
        with open_filter() as filtered:
            tried = subprocess.run(  # noqa: S603 - bubblewrap and `true`, by their paths
                sandbox.wrap([no_op], folder, folder, filtered, search or ""),
                env=reduce_environment(environ),
                capture_output=True,
                text=True,
                check=False,
                timeout=_TRIAL_S,
                pass_fds=(filtered,),
            )
    except KeyError:
        return f"{_NOT_WORKING}: its filter of sockets is not known for {platform.machine()}"
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{_NOT_WORKING}: {error}"
    if tried.returncode:
        why = " ".join(tried.stderr.split()) or f"it exited with status {tried.returncode}"
        return f"{_NOT_WORKING}: {why}"
    return sandbox
