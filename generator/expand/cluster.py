"""Runners on other machines: workers of a dask.distributed cluster, as an executor.

::

    coordinator ── Job ──> scheduler ──> worker: its own client, its own pause, its own keys
         ^                                  │
         └────────── Result, artifacts <────┘

A worker writes nothing but its own scratch folder. A job may be run more than once, where a worker is lost while it is
at it; the coordinator gets one result, and it alone writes. Whoever can speak to the scheduler can run code on its
workers, so that beyond this machine only TLS will do.

Sources: https://distributed.dask.org/en/stable/tls.html, https://distributed.dask.org/en/stable/resilience.html
"""

from __future__ import annotations

import ipaddress
import os
import threading
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

from distributed import Client, Worker, WorkerPlugin, get_worker

from generator import __version__
from generator.expand.cancellation import CancelToken
from generator.expand.coordinator import Runner, Tell
from generator.expand.events import Event, Job, Result, StageFinished, StageResult
from generator.expand.session import RefusedError
from generator.expand.tools import Crew, Workshop, find_model, open_similar

_CONNECT_S = 10.0
_SCRATCH = "planbook"


@dataclass(frozen=True, slots=True)
class Cluster:
    """A cluster that runs PARTs."""

    address: str
    workshop: Workshop
    client: Client = field(repr=False)

    def executor(self, pieces: int) -> Executor:
        """What gives jobs to workers. Each is its own: two that look the same are two."""
        executor: Executor = self.client.get_executor(pure=False)
        return executor

    @contextmanager
    def staff(self, token: CancelToken, tell: Tell) -> Iterator[Runner]:
        """The runner, with every worker set up for it, and those that join later too."""
        model = find_model(self.workshop.settings, self.workshop.options)
        post = _Post(f"planbook-{uuid.uuid4().hex[:12]}", self.workshop, model)
        self.client.register_plugin(post)
        token.on_cancel(partial(self._stop, post.name))
        try:
            yield _Remote(post.name, self._workers)
        finally:
            if self.client.status == "running":
                self.client.unregister_worker_plugin(post.name)

    def _workers(self) -> int:
        """How many processes there are: each asks hosts at a pace of its own."""
        return max(1, len(self.client.scheduler_info(n_workers=-1)["workers"]))

    def _stop(self, name: str) -> None:
        if self.client.status == "running":
            self.client.run(_stop, name, on_error="ignore")


@contextmanager
def open_cluster(address: str, workshop: Workshop) -> Iterator[Cluster]:
    """The cluster whose scheduler is at `address`. Raises :class:`RefusedError` where its workers cannot be used."""
    if not is_safe(address):
        raise RefusedError(
            f"the scheduler at {address} is not on this machine, and only tls:// keeps others from running code on its "
            "workers; give the scheduler, the workers and planbook a certificate (see `docs/guide/many-machines.md`)"
        )
    try:
        client = Client(address, timeout=_CONNECT_S, set_as_default=False, name="planbook")
    except (OSError, ValueError, TypeError) as error:  # TypeError: no certificate is configured
        raise RefusedError(f"no scheduler answers at {address}: {error}") from error
    with client:
        _check(client, address)
        _check_model(client, workshop)
        yield Cluster(address, workshop, client)


def is_safe(address: str) -> bool:
    """Whether what is sent to `address` stays on this machine, or is hidden on the way and both ends are known."""
    parts = urlsplit(address if "://" in address else f"tcp://{address}")
    if parts.scheme == "tls":
        return True
    host = parts.hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _check(client: Client, address: str) -> None:
    """Raises :class:`RefusedError` where there are no workers, or one of them has another planbook."""
    if not client.scheduler_info(n_workers=-1)["workers"]:
        raise RefusedError(f"the scheduler at {address} has no workers; start one: dask worker {address}")
    versions = client.run(_version, on_error="return")
    for worker, version in versions.items():
        if isinstance(version, BaseException):
            raise RefusedError(f"the worker {worker} cannot run planbook: {type(version).__name__}: {version}")
        if version != __version__:
            raise RefusedError(f"the worker {worker} has planbook {version}, and this is {__version__}")


def _check_model(client: Client, workshop: Workshop) -> None:
    """Raises :class:`RefusedError` where a model of word vectors is wanted, and a worker has none or another one."""
    if not workshop.options.embeddings:
        return
    open_similar(workshop.settings, workshop.options)
    own = find_model(workshop.settings, workshop.options)
    there = workshop.elsewhere(Path(_SCRATCH), {})
    for worker, found in client.run(find_model, there.settings, there.options, on_error="return").items():
        if isinstance(found, BaseException):
            raise RefusedError(f"the worker {worker} cannot rank by meaning: {found}")
        if found != own:
            raise RefusedError(
                f"the worker {worker} has another model in {there.options.embeddings}, or another model2vec"
            )


# --- what is sent to workers ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Remote:
    """The runner that the coordinator calls by way of the executor. What is sent is the bound arguments alone."""

    name: str
    workers: Callable[[], int]

    def __call__(self, job: Job) -> Result:
        raise AssertionError("it is sent, not called")  # see __reduce__

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """As it arrives: with the number of workers when the job was sent."""
        return partial, (_run, self.name, self.workers())


def _run(name: str, workers: int, job: Job) -> Result:
    """The result of a job, on the worker that this runs on."""
    post = cast(_Post, get_worker().plugins[name])
    return post.run(workers, job)


def _stop(name: str, dask_worker: Worker) -> None:
    """Stops what is under way for the run of this name."""
    post = dask_worker.plugins.get(name)
    if isinstance(post, _Post):
        post.token.cancel("the run is to stop")


def _version() -> str:
    return __version__


class _Post(WorkerPlugin):
    """What a worker needs for a run: made there, given back when the run is over or the worker closes."""

    def __init__(self, name: str, workshop: Workshop, model: str) -> None:
        self.name = name
        self._model = model
        self._workshop = replace(workshop, environ={})  # keys stay where they are

    def setup(self, worker: Worker) -> None:
        """Makes ready; nothing is opened before the first job."""
        self.token = CancelToken()
        self._scratch = Path(worker.local_directory) / _SCRATCH
        self._held = ExitStack()
        self._crew: Crew | None = None
        self._opening = threading.Lock()
        self._done: dict[int, list[StageResult]] = {}

    def teardown(self, worker: Worker) -> None:
        """Ends all connections."""
        self.token.cancel("the worker is to close")
        self._held.close()

    def run(self, workers: int, job: Job) -> Result:
        """The result of a job, with what its stages gave; hosts are left alone for as long as `workers` need."""
        with self._opening:
            if self._crew is None:
                workshop = self._workshop.elsewhere(self._scratch, os.environ)
                if find_model(workshop.settings, workshop.options) != self._model:  # it joined since they were checked
                    raise RefusedError("this worker has another model of word vectors, or another model2vec")
                self._crew = self._held.enter_context(workshop.crew(self.token, self._tell))
        self._crew.share(workers)
        self._done[id(job)] = []
        result = self._crew.runner(job)
        return replace(result, stages=tuple(self._done.pop(id(job))))

    def _tell(self, event: Event) -> None:
        if isinstance(event, StageFinished):
            self._done[id(event.job)].append(StageResult(event.stage, event.artifact, event.usage))
