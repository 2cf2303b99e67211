"""What the shell offers while a command is typed: spokes, objects and codes of the project.

click asks these functions on every press of the key. What can't be read offers nothing, and no
message disturbs who types.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from spokerender.cli import options
from spokerender.findings.errors import RenderError

if TYPE_CHECKING:  # start-up counts: commands name these functions, and few runs ask them
    from spokerender.model import Ref
    from spokerender.rendering.values.placement import Declarations

_ROUTE = "Route"


def spokes(context: click.Context, _: click.Parameter, typed: str) -> list[str]:
    """The spokes that the placement declares."""
    declarations = _placement(context)
    names = (spoke.name for spoke in declarations.spokes) if declarations is not None else ()
    return sorted(name for name in names if name.startswith(typed))


def references(context: click.Context, _: click.Parameter, typed: str) -> list[str]:
    """The objects of the hub, as `kind/namespace/name`, in the case that is typed."""
    return _matching((_named(ref) for ref in _hub(context)), typed)


def routes(context: click.Context, _: click.Parameter, typed: str) -> list[str]:
    """The routes of the hub."""
    found = (_named(ref) for ref in _hub(context) if ref.kind.endswith(_ROUTE))
    return _matching(found, typed)


def kinds(context: click.Context, _: click.Parameter, typed: str) -> list[str]:
    """The kinds of policy that the hub has objects of."""
    from spokerender.kinds.catalogue import Catalogue  # noqa: PLC0415  (start-up counts)

    catalogue = Catalogue.of(())
    found = {ref.kind for ref in _hub(context) if catalogue.kind(ref.group, ref.kind).is_policy}
    return _matching(found, typed)


def deletions(context: click.Context, parameter: click.Parameter, typed: str) -> list[str]:
    """What may be deleted by name: spokes and objects."""
    return [*spokes(context, parameter, typed), *references(context, parameter, typed)]


def codes(_: click.Context, __: click.Parameter, typed: str) -> list[str]:
    """The codes of findings."""
    from spokerender.findings.codes.table import FINDING_KINDS  # noqa: PLC0415  (start-up counts)

    return _matching((kind.code for kind in FINDING_KINDS), typed)


def _matching(names: Iterable[str], typed: str) -> list[str]:
    """The names that go on from what is typed, in whatever case, which is kept."""
    found = sorted(name for name in names if name.casefold().startswith(typed.casefold()))
    return [typed + name[len(typed) :] for name in found]


def _named(ref: Ref) -> str:
    return f"{ref.kind.lower()}/{ref.full_name}"


def _folder(context: click.Context) -> str:
    """The project: the first word that is one's folder, else what the command takes for it.

    click reads no argument while the value of an option is missing, so that the words are asked.
    """
    from click.shell_completion import split_arg_string  # noqa: PLC0415  (start-up counts)

    words = split_arg_string(os.environ.get("COMP_WORDS", ""))[2:]
    named = (word for word in words if options.is_project(word))
    given = context.params.get("folder")
    return next(named, given if isinstance(given, str) else ".")


def _placement(context: click.Context) -> Declarations | None:
    from spokerender.cli.loaded import fleet_of  # noqa: PLC0415  (start-up counts)
    from spokerender.edge.files import OnDisk  # noqa: PLC0415
    from spokerender.edge.reading import files_of  # noqa: PLC0415
    from spokerender.rendering.placement import sources  # noqa: PLC0415

    source = OnDisk(Path(_folder(context)))
    try:
        entries = fleet_of(source).model.spec.placement
        files, _ = files_of(source, entries, suffixes=sources.suffixes())
        return sources.declared(files)
    except (RenderError, OSError):
        return None


def _hub(context: click.Context) -> list[Ref]:
    from spokerender.cli.loaded import fleet_of  # noqa: PLC0415  (start-up counts)
    from spokerender.edge.files import OnDisk  # noqa: PLC0415
    from spokerender.edge.reading import files_of  # noqa: PLC0415
    from spokerender.topology.hub import read_hub  # noqa: PLC0415

    source = OnDisk(Path(_folder(context)))
    try:
        files, _ = files_of(source, fleet_of(source).model.spec.hub)
        return [manifest.ref for manifest in read_hub(files).manifests]
    except (RenderError, OSError):
        return []


one_spoke = click.option(
    "--spoke",
    metavar="SPOKE",
    shell_complete=spokes,
    default="",
    help="Tell about this spoke only.",
)
one_kind = click.option(
    "--kind",
    metavar="KIND",
    shell_complete=kinds,
    default="",
    help="Tell about policies of this kind only.",
)
