"""Workers on other machines, by dask.distributed.

::

    run ── Job ──> scheduler ──> worker: its own client, its own pause, its own keys
     ^                              │
     └────────── Result <───────────┘

A worker writes to its own scratch folder only. A job runs again if its worker is lost; the run gets
one result, and only the run writes to the project. Anyone who can connect to the scheduler can run
code on its workers, so remote schedulers require TLS.

Sources: https://distributed.dask.org/en/stable/tls.html,
https://distributed.dask.org/en/stable/resilience.html
"""

from __future__ import annotations

import ipaddress
import os
import threading
import uuid
from collections.abc import Collection, Iterator
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import cast
from urllib.parse import urlsplit

from distributed import Client, Worker, WorkerPlugin, get_worker

from planbook import __version__, store
from planbook.research.expand.cancellation import CancelToken
from planbook.research.expand.context import WorkerSpec
from planbook.research.expand.jobs import BaseAtStart, Job, Result, StartJob, Workers
from planbook.research.expand.worker import WorkerContext, run_job
from planbook.research.recording.events import EventHandler

_CONNECT_S = 10.0
"""Time in seconds in which a scheduler has to answer."""
_SCRATCH = "planbook"


@contextmanager
def open_cluster(address: str, spec: WorkerSpec) -> Iterator[Workers]:
    """Connect to the scheduler at `address`.

    Raises :class:`RefusedError` if its workers cannot be used.
    """
    if not is_safe(address):
        raise store.RefusedError(
            f"the scheduler at {address} is on another machine, and without tls:// anyone there "
            "could run code on its workers; give the scheduler, the workers and planbook a "
            "certificate (see `docs/guide/many-machines.md`)"
        )
    try:
        client = Client(address, timeout=_CONNECT_S, set_as_default=False, name="planbook")
    except (OSError, ValueError, TypeError) as error:  # TypeError: no certificate is configured
        raise store.RefusedError(f"no scheduler answers at {address}: {error}") from error
    with client:
        _check_workers(client, address)
        yield partial(_start, client, spec)


@contextmanager
def _start(  # noqa: PLR0913, PLR0917 - the parameters of `Workers`, and two more
    client: Client,
    spec: WorkerSpec,
    base: BaseAtStart,
    count: int,
    token: CancelToken,
    emit: EventHandler,
) -> Iterator[StartJob]:
    """See `Workers`. Workers that join the cluster later take part."""
    plugin = _Plugin(f"planbook-{uuid.uuid4().hex[:12]}", replace(spec, base=base))

    def cancel() -> None:
        """Stop the jobs on the workers."""
        if client.status == "running":
            client.run(_cancel, plugin.name, on_error="ignore")

    client.register_plugin(plugin)
    token.on_cancel(cancel)
    try:
        with client.get_executor(pure=False) as executor:  # never merge equal jobs

            def start_job(job: Job) -> Future[Result]:
                """Send a job; its cost is known when it ends."""
                future = executor.submit(_run, plugin.name, len(_workers(client)), job)
                future.add_done_callback(_spend)
                return cast("Future[Result]", future)

            def _spend(future: Future[Result]) -> None:
                if not future.cancelled() and future.exception() is None:
                    token.spend(future.result().page.usage)

            yield start_job
    finally:
        if client.status == "running":
            client.unregister_worker_plugin(plugin.name)


def _workers(client: Client) -> Collection[str]:
    """Return the addresses of the worker processes: each has its own rate limits for hosts."""
    workers: Collection[str] = client.scheduler_info(n_workers=-1)["workers"]
    return workers


def is_safe(address: str) -> bool:
    """Return whether the connection to `address` stays on this machine or uses TLS."""
    split_address = urlsplit(address if "://" in address else f"tcp://{address}")
    if split_address.scheme == "tls":
        return True
    host = split_address.hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _check_workers(client: Client, address: str) -> None:
    """Raise :class:`RefusedError` without workers, or if one has another Planbook."""
    if not _workers(client):
        defect = f"has no workers; start one: dask worker {address}"
        raise store.RefusedError(f"the scheduler at {address} {defect}")
    for worker, version in client.run(_version, on_error="return").items():
        if isinstance(version, BaseException):
            defect = f"cannot run planbook: {type(version).__name__}: {version}"
            raise store.RefusedError(f"the worker {worker} {defect}")
        if version != __version__:
            defect = f"has planbook {version}, and this is {__version__}"
            raise store.RefusedError(f"the worker {worker} {defect}")


# --- what is sent to workers ----------------------------------------------------------------------


def _run(name: str, processes: int, job: Job) -> Result:
    return cast("_Plugin", get_worker().plugins[name]).run(processes, job)


def _cancel(name: str, dask_worker: Worker) -> None:
    plugin = dask_worker.plugins.get(name)
    if isinstance(plugin, _Plugin):
        plugin.token.cancel("the run was stopped")


def _version() -> str:
    return __version__


class _Plugin(WorkerPlugin):
    """The context of a run on a worker.

    It is open from the first job until the run ends or the worker closes.
    """

    def __init__(self, name: str, spec: WorkerSpec) -> None:
        self.name = name
        self._spec = replace(spec, environ={})  # keys stay where they are

    def setup(self, worker: Worker) -> None:
        """Prepare; nothing is opened before the first job."""
        self.token = CancelToken()
        self._scratch = Path(worker.local_directory) / _SCRATCH
        self._stack = ExitStack()
        self._context: WorkerContext | None = None
        self._opening = threading.Lock()

    def teardown(self, worker: Worker) -> None:
        """Close all connections."""
        self.token.cancel("the worker is closing")
        self._stack.close()

    def run(self, processes: int, job: Job) -> Result:
        """Return the result of a job; `processes` share the rate limits of hosts."""
        with self._opening:
            if self._context is None:
                spec = self._spec.moved_to(self._scratch, os.environ)
                connection = spec.connect(self.token, lambda event: None)
                self._context = self._stack.enter_context(connection)
        self._context.connections.set_process_count(processes)
        return run_job(job, self._context)
