"""Arguments and options that several commands share, and completion of their values in a shell."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from planbook import store
from planbook.cli import project
from planbook.library import link_tree
from planbook.model import Plan
from planbook.store.files import UserError


def complete_plans(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the slugs of the project's plans that begin with `incomplete`, for a shell."""
    return sorted(plan.slug for plan in _plans_to_complete(ctx) if plan.slug.startswith(incomplete))


def complete_plans_and_paths(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return the slugs of the project's plans, and let the shell complete paths, too."""
    slugs = map(CompletionItem, complete_plans(ctx, param, incomplete))
    return [*slugs, CompletionItem(incomplete, type="file")]


def complete_parts(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the numbers of the PARTs of the plan that was named before, for a shell."""
    plans = [plan for plan in _plans_to_complete(ctx) if plan.slug == ctx.params.get("plan")]
    numbers = dict.fromkeys(str(part.number) for plan in plans for part in plan.parts)
    return [number for number in numbers if number.startswith(incomplete)]


def _plans_to_complete(ctx: click.Context) -> Sequence[Plan]:
    """Return the project's plans; none outside a project, as a shell has no place for a message."""
    try:
        settings = project.project_settings(ctx.params.get("root"))
        cache = project.open_cache(settings, is_read_only=True)
        return link_tree(store.read_tree(settings), cache).plans
    except (click.ClickException, UserError, OSError):
        return ()


class _PartNumber(click.ParamType[int]):
    """The number of a PART, which stands behind the name of its plan."""

    name = "part"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        """Return the number."""
        written = str(value)
        if written.isascii() and written.isdigit():
            return int(written)
        command = ctx.command_path if ctx else "planbook brief"
        fix = f"the plan comes first, then the number of the PART: {command} PLAN 1"
        self.fail(f"{written!r} is not the number of a PART; {fix}", param, ctx)


class _PlanName(click.ParamType[str]):
    """The slug or path of a plan, or the path of a page."""

    name = "plan"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        """Return a slug as it is, and the path of a file of the project from its folder."""
        written = str(value)
        file = Path(written).resolve()
        chosen_root = ctx.params.get("root") if ctx else None
        # An option that was not given has a value of Click's own here.
        root = chosen_root if isinstance(chosen_root, Path) else store.find_root(Path.cwd())
        root = root.resolve()
        is_of_project = file.is_file() and store.find_root(file.parent) == root
        return file.relative_to(root).as_posix() if is_of_project else written


PLAN_NAME = _PlanName()
PLAN = click.argument("plan", type=PLAN_NAME, shell_complete=complete_plans)
PART_NUMBER = _PartNumber()
PART = click.argument("part", required=False, type=PART_NUMBER, shell_complete=complete_parts)
"""It may be left out if a page stands for plan and PART: see `chosen_parts.chosen_part`."""
PAGES = click.argument(
    "pages", nargs=-1, type=click.Path(path_type=Path), shell_complete=complete_plans_and_paths
)
"""Pages and folders, plans and their PARTs: see `targets.page_paths`."""
PATHS = click.argument(
    "paths", nargs=-1, type=click.Path(path_type=Path), shell_complete=complete_plans_and_paths
)
"""Files and folders, plans and their PARTs: see `targets.named_files`."""
JSON = click.option(
    "--format",
    "as_json",
    type=click.Choice(["text", "json"]),
    default="text",
    callback=lambda ctx, param, value: value == "json",
    help="Output format.",
)
ROOT = click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    is_eager=True,  # the names of plans are those of this project
    help="The project's folder; by default this one or the nearest parent with a mkdocs.yml.",
)
CONTACT = click.option(
    "--contact",
    envvar="PLANBOOK_CONTACT",
    help="Contact address for hosts; by default the site's address.",
)
LOOPBACK = click.option(
    "--allow-loopback",
    is_flag=True,
    default=None,
    help="Allow reading pages of servers on this machine.",
)
MIRROR = click.option(
    "--mirror",
    "mirrors",
    multiple=True,
    metavar="OWNER/REPO=PATH",
    help="A local clone or bare mirror, to check files at a commit; can be repeated.",
)
NO_COMMIT = click.option(
    "--no-commit", is_flag=True, help="Write the files, but do not commit them."
)


def source_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options for reading sources.

    They are the fields of `planbook.research.proof.source_reader.SourceReader`.
    """
    offline = "Make no requests: check against the texts stored in .planbook/."
    copies = "Read saved copies, which are WARC files, where there are any."
    pause = "Seconds between requests to the same host; by default as configured for `expand`."
    options = (
        click.option("--offline", is_flag=True, help=offline),
        MIRROR,
        click.option("--copies", type=click.Path(path_type=Path), metavar="FOLDER", help=copies),
        CONTACT,
        click.option("--pause", type=click.FloatRange(min=0), help=pause),
        LOOPBACK,
    )
    for option in reversed(options):
        command = option(command)
    return command
