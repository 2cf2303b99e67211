"""`spokerender fn`: render as a KRM function, for kustomize, kpt and pipes."""

import sys
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

import click
from msgspec import Struct
from msgspec.structs import replace

from spokerender.adopting import functions
from spokerender.adopting.functions import FleetItems, make_item
from spokerender.cli import EXIT_WRONG_INPUT, completing, options
from spokerender.cli.given_files import read_stdin
from spokerender.cli.loaded import FLEET_FILE, reading
from spokerender.cli.project import project_of, read_project
from spokerender.cli.reporting import VerbosityCommand, has_refusal, print_findings, progress
from spokerender.cli.trees import plan_changes
from spokerender.config.fleet import FleetSpec
from spokerender.edge.disclosure import withhold_foreign
from spokerender.edge.files import OnDisk
from spokerender.edge.reading import read_optional
from spokerender.findings.codes.project import IN_THE_WAY, NO_LONGER_RENDERED, NO_PLACEMENT
from spokerender.findings.errors import InputError
from spokerender.findings.results import Result
from spokerender.formats import yamlio
from spokerender.model import Origin, Ref
from spokerender.model.krm import VERSIONS
from spokerender.model.plan import HEADER
from spokerender.pipeline import Project, render
from spokerender.rendering.values.rendered import Rendered
from spokerender.report.reports import FindingsReport
from spokerender.report.serializing import krm_results
from spokerender.wings.combined import all_engines, read_fleet


@click.command("fn", cls=VerbosityCommand)
@options.one_spoke(completing.complete_spokes, "Return only the objects of this spoke.")
@options.code
@options.strict
def fn(spoke: str | None, *, strict: bool) -> None:
    """Render as a KRM function: read a ResourceList from standard input, print one.

    The functionConfig is a Fleet or a Placement, and the items are the hub. Without items (a
    generator of kustomize), the hub is read from the files that the Fleet names.

    The list that is printed has the given items, without those of an earlier rendering, and the
    rendered objects with their paths. Findings are in its results and on standard error.
    """
    resources: functions.ResourceList | None = None
    rendered: Rendered | None = None
    # A KRM function prints a list in any case; the status says that it failed.
    try:
        resources = functions.read_resource_list(read_stdin())
        outcome = _render_list(resources, spoke)
        results, rendered = outcome.results, outcome.rendered
    except InputError as error:
        results = error.results
    results = withhold_foreign(results, Path())
    fails = rendered is None or has_refusal(results, strict=strict)
    # On failure the items go back as they came, so that a pipe loses nothing.
    remaining = outcome.remaining if not fails else resources.items if resources is not None else ()
    items = (make_item(existing.object) for existing in remaining)
    _write(resources, items if fails else chain(items, outcome.items), results, rendered)
    print_findings(FindingsReport(results=results))
    if fails:
        raise click.exceptions.Exit(EXIT_WRONG_INPUT)


class _RenderedList(Struct, frozen=True, eq=False):
    """A rendered list: items that stay as they were, rendered items, and the findings."""

    rendered: Rendered
    remaining: Sequence[functions.ListItem]
    items: Iterator[bytes]
    results: tuple[Result, ...]


def _render_list(resources: functions.ResourceList, spoke: str | None) -> _RenderedList:
    """Render the items of a list, or the files of the working directory."""
    # The list first: the functionConfig is what the caller of the function means.
    fleet = functions.find_fleet(resources) or _read_fleet_on_disk(resources)
    spec = read_fleet(fleet).model.spec
    output = spec.output.rstrip("/")
    parts = functions.split_project(resources, output, spec.hub)
    rendered = render(_project(fleet, parts))
    results, rendered_items = rendered.results, FleetItems(rendered)
    if has_refusal(results, strict=False):
        return _RenderedList(rendered, resources.items, iter(()), results)
    if spoke is not None:
        from spokerender.explain.lookup import find_spoke  # noqa: PLC0415  (start-up counts)

        find_spoke(rendered, spoke)
        return _RenderedList(rendered, (), rendered_items.of_spoke(spoke, ""), results)
    # Only items with our first line; all others in the output folder stay in the list.
    replaced = {path for path, earlier in parts.rendered.items() if earlier.is_rendered}
    # Files of `published/` are written anew as well.
    replaced |= rendered.contribution.files.keys()
    remaining = [existing for existing in resources.items if existing.path not in replaced]
    findings = (*results, *_losses(parts, rendered, spec), *_foreign(parts, rendered, output))
    return _RenderedList(rendered, remaining, _items(rendered_items, rendered, output), findings)


def _read_fleet_on_disk(resources: functions.ResourceList) -> tuple[str, bytes] | None:
    """Return the fleet file of the working directory, if the list has no hub."""
    # With a hub among the items, nothing of the disk is meant.
    if functions.split_project(resources, "", ()).hub:
        return None
    source = OnDisk(Path())
    file = read_optional(source, FLEET_FILE)
    return (source.shown(file.path), file.data) if file is not None else None


def _project(fleet: tuple[str, bytes] | None, parts: functions.ProjectParts) -> Project:
    """Return the project of a list; if the items have no hub, the hub is on disk."""
    source = OnDisk(Path())
    document = read_fleet(fleet)
    if not parts.hub:
        project = read_project(source, document)
        return replace(project, placement_files=parts.placements or project.placement_files)
    if not parts.placements:
        message = "neither the functionConfig nor an item is a Placement"
        cure = "name placement.yaml as the functionConfig, or give it among the items"
        raise InputError((NO_PLACEMENT.result(message, cure=cure),))
    return project_of(source, document, parts.hub, parts.placements)


def _items(rendered_items: FleetItems, rendered: Rendered, output: str) -> Iterator[bytes]:
    show, spokes = progress("rendered"), sorted(rendered.bundles)
    for number, name in enumerate(spokes, 1):
        # One write per spoke: a write per item takes longer.
        yield b"".join(rendered_items.of_spoke(name, f"{output}/{name}/"))
        if show is not None:
            show(number, len(spokes))
    yield from rendered_items.beside(output)
    yield from rendered_items.published()


def _losses(
    parts: functions.ProjectParts, rendered: Rendered, spec: FleetSpec
) -> tuple[Result, ...]:
    """Return errors for losses since an earlier rendering that the Fleet does not acknowledge."""
    output = spec.output.rstrip("/")
    old: dict[str, dict[str, bytes]] = {}
    for path, earlier in parts.rendered.items():
        folder, _, rest = path.removeprefix(f"{output}/").partition("/")
        if rest and earlier.is_rendered:
            # The earlier files are compared as they would be on disk, with our first line.
            old.setdefault(folder, {})[rest] = HEADER + yamlio.emit(earlier.plain).encode()
    if not old:
        return ()
    from spokerender.review.guard.refusals import refuse_removals  # noqa: PLC0415  (start-up counts: most lists lose nothing)
    from spokerender.review.guard.removals import find_losses, make_context  # noqa: PLC0415

    plan, _ = plan_changes(old, rendered)
    guard_context = make_context(rendered, all_engines().objects)
    losses = find_losses(reading(old), rendered.tree, plan.folders, guard_context)
    return refuse_removals(losses, None, spec.deletions)


def _foreign(parts: functions.ProjectParts, rendered: Rendered, output: str) -> Iterator[Result]:
    """Yield findings about items below the output without our first line; they stay in the list."""
    rendered_paths = {
        f"{output}/{folder}/{path}"
        for folder in rendered.tree.folders
        for path in rendered.tree.paths(folder)
    }
    for path, earlier in parts.rendered.items():
        if earlier.is_rendered:
            continue
        if path in rendered_paths:
            message = f"{path} is to be rendered, and its first line does not say that it is ours"
            yield IN_THE_WAY.result(message, cure="move it away", origin=Origin(path))
        else:
            message = f"{path} is in the output folder, and is left alone"
            cure = "take it out by hand if it is not wanted"
            yield NO_LONGER_RENDERED.result(message, cure=cure, origin=Origin(path))


def _write(
    resources: functions.ResourceList | None,
    items: Iterator[bytes],
    results: Sequence[Result],
    rendered: Rendered | None,
) -> None:
    """Print the list, one item after another, as there may be many items."""
    out = sys.stdout.buffer
    version = resources.api_version if resources is not None else VERSIONS[0]
    out.write(f"apiVersion: {version}\nkind: ResourceList\nitems:".encode())
    first = next(items, None)
    out.write(b" []\n" if first is None else b"\n" + first)
    out.writelines(items)
    rest: dict[str, object] = {}
    if resources is not None and resources.config is not None:
        rest["functionConfig"] = resources.config
    if results:
        rest["results"] = krm_results(results, lambda ref: _version(ref, rendered))
    out.write(yamlio.proven(rest).encode() if rest else b"")
    out.flush()


def _version(ref: Ref, rendered: Rendered | None) -> str:
    """Return the apiVersion of an object; v1 if its kind is unknown."""
    # A ResourceList needs an apiVersion even where no row or CRD has one.
    served = () if rendered is None else rendered.hub.catalogue.kind(ref.group, ref.kind).versions
    version = served[0] if served else "v1"
    return f"{ref.group}/{version}" if ref.group else version
