"""Completions of arguments in the shell: spokes, objects and codes of the project.

click calls these functions when a user presses Tab. If files can't be read, there are no
completions, and no message, which would disturb a user who is typing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from spokerender.edge.presence import is_project
from spokerender.findings.errors import RenderError

if TYPE_CHECKING:  # start-up counts: commands name these functions, and few runs complete
    from spokerender.model import Manifest, Ref
    from spokerender.model.sources import Files


def complete_spokes(context: click.Context, _: click.Parameter, typed: str) -> list[str]:
    """Return the spokes in the placement whose names begin with the typed text."""
    from spokerender.rendering.placement import sources  # noqa: PLC0415  (start-up counts)

    with suppress(RenderError, OSError):
        files = _read(context, "placement", suffixes=sources.list_suffixes())
        spokes = sources.read_declarations(files).spokes
        return sorted(spoke.name for spoke in spokes if spoke.name.startswith(typed))
    return []


def complete_objects(context: click.Context, _: click.Parameter, typed: str) -> list[str]:
    """Return the hub's objects that begin with the typed text, as `kind/namespace/name`."""
    return _matching(map(_object_name, _hub(context)), typed)


def complete_routes(context: click.Context, _: click.Parameter, typed: str) -> list[str]:
    """Return the hub's routes that begin with the typed text, as `kind/namespace/name`."""
    names = (_object_name(ref) for ref in _hub(context) if ref.kind.endswith("Route"))
    return _matching(names, typed)


def complete_policy_kinds(context: click.Context, _: click.Parameter, typed: str) -> list[str]:
    """Return the kinds of the hub's policies that begin with the typed text."""
    from spokerender.kinds.catalogue import Catalogue  # noqa: PLC0415  (start-up counts)

    catalogue = Catalogue.of(())
    names = {ref.kind for ref in _hub(context) if catalogue.kind(ref.group, ref.kind).is_policy}
    return _matching(names, typed)


def complete_deletions(context: click.Context, option: click.Parameter, typed: str) -> list[str]:
    """Return spokes and objects, as both may be deleted by name."""
    return [*complete_spokes(context, option, typed), *complete_objects(context, option, typed)]


def complete_requests(context: click.Context, _: click.Parameter, typed: str) -> list[str]:
    """Return URLs that begin with the typed text, from hostnames and paths of the hub's routes."""
    from spokerender.kinds.fields import find_values  # noqa: PLC0415  (start-up counts)

    method, space, url = typed.rpartition(" ")
    # A scheme that is typed stays.
    scheme = "http" if url.startswith("http:") else "https"
    urls = {
        f"{scheme}://{host}{path if str(path).startswith('/') else '/'}"
        for manifest in _read_manifests(context)
        for _, host in find_values(manifest.object, "spec.hostnames[]")
        for _, path in find_values(manifest.object, "spec.rules[].matches[].path.value")
        or [((), "/")]
    }
    # A wildcard is no host that a request can have.
    return [f"{method}{space}{each}" for each in _matching(urls, url) if "*" not in each]


def complete_codes(_: click.Context, __: click.Parameter, typed: str) -> list[str]:
    """Return the codes of findings that begin with the typed text."""
    from spokerender.findings.codes.table import FINDING_KINDS  # noqa: PLC0415  (start-up counts)

    return _matching((kind.code for kind in FINDING_KINDS), typed)


def _matching(names: Iterable[str], typed: str) -> list[str]:
    """Return names that begin with the typed text, ignoring case; the typed text keeps its case."""
    matches = sorted(name for name in names if name.casefold().startswith(typed.casefold()))
    # The shell replaces what was typed, so its case must come back.
    return [typed + name[len(typed) :] for name in matches]


def _object_name(ref: Ref) -> str:
    return f"{ref.kind.lower()}/{ref.full_name}"


def _read(context: click.Context, key: str, **settings: Any) -> Files:  # noqa: ANN401  (of `files_of`)
    """Return the files that the project's fleet file names under a key of `spec`."""
    from click.shell_completion import split_arg_string  # noqa: PLC0415  (start-up counts)

    from spokerender.cli.loaded import read_fleet_file  # noqa: PLC0415  (start-up counts)
    from spokerender.edge.files import OnDisk  # noqa: PLC0415
    from spokerender.edge.reading import files_of  # noqa: PLC0415

    # click parses no argument while the value of an option is missing, so look at the words.
    words = split_arg_string(os.environ.get("COMP_WORDS", ""))[2:]
    projects = (word for word in words if is_project(word))
    value = context.params.get("folder")
    source = OnDisk(Path(next(projects, value if isinstance(value, str) else ".")))
    return files_of(source, getattr(read_fleet_file(source).model.spec, key), **settings)[0]


def _hub(context: click.Context) -> list[Ref]:
    return [manifest.ref for manifest in _read_manifests(context)]


def _read_manifests(context: click.Context) -> Sequence[Manifest]:
    from spokerender.topology.hub import read_hub  # noqa: PLC0415  (start-up counts)

    with suppress(RenderError, OSError):
        return read_hub(_read(context, "hub")).manifests
    return ()


def one_kind(text: str) -> Callable[[Any], Any]:
    """Return the option `--kind` with this help text."""
    return click.option(
        "--kind", metavar="KIND", shell_complete=complete_policy_kinds, default="", help=text
    )
