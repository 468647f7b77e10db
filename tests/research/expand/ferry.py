"""A base about a queue called Ferry, to be filled from a web of many hosts by the real command."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests import forks
from tests.files import put
from tests.research.expand.base import make_repository
from tests.research.expand.loopback import environment
from tests.research.expand.web_of_pages import HostedWeb

CHILD = Path(__file__).parent / "child"
SECRETS = {
    "TAVILY_API_KEY": "tvly-5b1d0c7e9a3f4826b0d1",
    "GITHUB_TOKEN": "ghp_R4nD0mPlantedT0kenOfN0body000000001",
    "OPENAI_API_KEY": "sk-proj-planted7f6e5d4c3b2a19080706",
    "ANTHROPIC_API_KEY": "sk-ant-api03-planted0a1b2c3d4e5f6071",
    "HF_TOKEN": "hf_plantedQqWwEeRrTtYyUuIiOoPp",
}
"""What the environment holds, and nothing else may."""

FERRY = """# Ferry, a queue of jobs

**Topic**: Ferry
**Date**: 2026-11-20
**Target Folder**: `queue/`

---

## PART 1: Create queue/01-leases.md (200 lines)

- [ ] PART 1: Create queue/01-leases.md

**Step 0: Check existing knowledge**
- [ ] Read queue/00-basics.md
- [ ] Grep for "worker" AND "job" in queue/
- [ ] Read queue/missing.md

**Step 1: Web research**
- [ ] Search: "ferry queue lease"
- [ ] Search: "renew a lease"
- [ ] Read {hub}/ferry/ferry/blob/main/src/lease.py#L4-L8

**Step 2: Write the page**
- [ ] Section 1: How a lease works (~60 lines)
    - What a lease is and which worker holds it
    - How long a lease lasts by default
    - Renewals in the queues mail and video
- [ ] Section 2: Renewing a lease (~60 lines)
    - The loop that renews a lease while it works
    - Which clock measures a lease
    - The method renew of a client's class Lease
- [ ] Section 3: Costs (~40 lines)
    - What a lease costs in throughput
    - The colour of invoices

## PART 2: Create queue/02-dead-letters.md (100 lines)

- [ ] PART 2: Create queue/02-dead-letters.md

**Step 1: Web research**
- [ ] Search: "ferry dead letters"

**Step 2: Write the page**
- [ ] Section 1: What a dead letter is (~60 lines)
    - When a job becomes a dead letter
    - How to revive dead letters
- [ ] Section 2: Watching (~40 lines)
    - Which gauge counts dead letters
"""

WALLS = """# Walls

## PART 1: Create walls/01-nobody.md

- [ ] PART 1: Create walls/01-nobody.md

- [ ] Search: "nobody tells this"

## PART 2: Create walls/02-kept.md

- [✓] PART 2: Create walls/02-kept.md (Completed 2025-01-02)

## DISABLED PARTS (keeping for reference)

## PART 3: Create walls/03-disabled.md

- [ ] PART 3: Create walls/03-disabled.md

- [ ] Search: "never asked"
"""

CONFIG = """site_name: Ferry
site_url: https://ferry.test/
plugins:
  - planbook:
      expand:
        pause: {pause}
        timeout: 3
        allow_loopback: true
{more}        search:
          providers: [tavily, searxng]
          limit: 20
          searxng_url: {search}
          addresses: {{tavily: '{tavily}'}}
"""


def make_ferry(root: Path, web: HostedWeb, *, pause: float = 0.2, more: str = "") -> Path:
    """The base, in a repository, beside files of its user that are none of ours."""
    config = CONFIG.format(pause=pause, more=more, search=web.at("search.test"), tavily=web.at("tavily.test"))
    make_repository(
        root,
        {
            "mkdocs.yml": config.replace(".test:" + f"{web.port}/", f".test:{web.port}"),
            "plans/ferry.md": FERRY.replace("{hub}", web.at("site.hub.test").rstrip("/")),
            "plans/walls.md": WALLS,
            "docs/index.md": "# Home\n",
            "docs/queue/00-basics.md": "# Basics of queues\n\nA worker takes a job from a queue.\n",
            "docs/walls/02-kept.md": "# Kept\n\nBy hand.\n",
            "notes.txt": "mine\n",
        },
    )
    put(root, {"notes.txt": "mine, changed\n", "draft.txt": "not known to git\n"})
    return root


@dataclass(frozen=True)
class Ran:
    """What a command did."""

    code: int
    out: str
    err: str
    trace: list[str] = field(default_factory=list)
    """See `child/sitecustomize.py`; paths are those in the project."""


def child_environment(web: HostedWeb, trace: Path, **more: str) -> dict[str, str]:
    """Ours, with planted secrets, where only the hosts of `web` are known; the child tells its doings to `trace`."""
    hub = {f"PLANBOOK_GITHUB_{name}": web.at(f"{name.lower()}.hub.test").rstrip("/") for name in ("SITE", "RAW", "API")}
    child = watched(CHILD_HOSTS=json.dumps(web.names), CHILD_TRACE=str(trace))
    return {**environment(), **SECRETS, **hub, **child, **more}


def watched(**child: str) -> dict[str, str]:
    """What lets a command run under `child/sitecustomize.py`."""
    return {"PYTHONPATH": os.pathsep.join([str(CHILD), os.environ["PYTHONPATH"]]), **child}


def run(root: Path, web: HostedWeb, *args: str, **more: str) -> Ran:
    """`planbook expand` on the base, to its end; `more` goes into its environment."""
    trace = root.with_name(f"{root.name}.trace")
    trace.write_text("")
    env = child_environment(web, trace, **more)
    done = forks.run("planbook", "expand", "--root", root, *args, cwd=Path.cwd(), env=env)
    lines = trace.read_text().replace(f"{root}/", "").splitlines()
    return Ran(done.returncode, done.stdout, done.stderr, lines)


def files(root: Path) -> dict[str, str]:
    """The user's files, by path: everything but the working folder, the cache and git's."""
    found = {path.relative_to(root).as_posix(): path for path in sorted(root.rglob("*")) if path.is_file()}
    return {
        name: path.read_text()
        for name, path in found.items()
        if not name.startswith((".cache/", ".git/", ".planbook/"))
    }


def steady(text: str, web: HostedWeb) -> str:
    """`text` without what differs from run to run: the port, days and times."""
    text = text.replace(f":{web.port}", ":PORT")  # the colon: a hash may hold the same figures
    today = datetime.now(UTC).date()
    for day in (today, today - timedelta(days=1)):  # a test may run over midnight
        text = re.sub(rf"{day}([T ])\d\d:\d\d(:\d\dZ| UTC)", r"DAY\1TIME", text)
        text = re.sub(r"(?<=(?:page|text)_sha256: )[0-9a-f]{64}|(?<=  plan: )[0-9a-f]{16}", "HASH", text)
        text = text.replace(str(day), "DAY").replace(f"[{day.year}, {day.month}, {day.day}]", "[DAY]")
    return text
