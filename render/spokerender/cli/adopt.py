"""`spokerender adopt`: make one hub and one placement of clusters with copies of their policies."""

import os
from functools import partial
from pathlib import Path

import click

from spokerender.adopting.fleets.adopt import Adoption
from spokerender.adopting.fleets.gathering import GatheredCluster, Gatherer
from spokerender.adopting.fleets.telling import tell
from spokerender.adopting.starting import ESSENTIAL
from spokerender.cli import options
from spokerender.cli.given_files import render_new_project, write_all
from spokerender.cli.project import load
from spokerender.cli.reporting import ReportCommand, has_refusal, refuse_errors
from spokerender.cli.snapshots import observe_spokes
from spokerender.edge.files import OnDisk
from spokerender.edge.installed import list_versions
from spokerender.edge.presence import is_file
from spokerender.edge.reading import require_files
from spokerender.explain.observed.statuses import join_spokes
from spokerender.findings.codes.project import BAD_CLUSTER, IN_THE_WAY, NOTHING
from spokerender.findings.errors import InputError
from spokerender.findings.results import Severity
from spokerender.model import Origin
from spokerender.model.names import label_fault
from spokerender.report.reports import AdoptionReport, Report
from spokerender.wings.combined import all_engines


@click.command("adopt", cls=ReportCommand)
@click.argument(
    "clusters",
    metavar="FILE|FOLDER...",
    nargs=-1,
    required=True,
    type=click.Path(exists=True),
)
@options.output_to("The folder of the new project. Default: this folder.")
@options.form(AdoptionReport)
def adopt(clusters: tuple[str, ...], output: str | None) -> Report:
    """Make a project of clusters: a hub with what they share, a placement with what differs.

    Each file or folder is a cluster of its name, such as the output of `kubectl get -o yaml`. The
    project is rendered and compared with the clusters before anything is written: all comes back
    as it is, except what the report names. What looks like drift is kept, and told first.
    """
    project = Path(output or ".")
    # lexists: a broken link there would be followed by the writing.
    present = {name for name in (*ESSENTIAL, "hub") if os.path.lexists(project / name)}
    if not present.isdisjoint(ESSENTIAL):
        return _compare(project, clusters)
    if present:
        cure = "adopt into another folder with -o; to add to a hub, use spokerender import"
        raise InputError((IN_THE_WAY.result(f"{project / 'hub'} is there already", cure=cure),))
    source = OnDisk(Path())
    gatherer = Gatherer(all_engines().marks)
    gathered = _gather(source, clusters, gatherer)
    # All clusters are read first, so that every unreadable one is named at once.
    refuse_errors(gatherer.results, strict=False)
    adopted = Adoption(gathered, gatherer, list_versions(), partial(render_new_project, source))
    if not adopted.assembly.objects:
        message = "the clusters have no object that hangs on a Gateway"
        raise InputError((NOTHING.result(message, cure="name others"),))
    adopted.complete()
    # Before writing: the report may still fail, and then nothing is half written.
    report = _report(project, adopted)
    write_all(project, adopted.files)
    return report


def _compare(project: Path, clusters: tuple[str, ...]) -> Report:
    """Return the differences between clusters and a project, as `status --from` does."""
    folder, *others = {Path(path).parent.as_posix() for path in clusters}
    # `status --from` reads all clusters in one folder.
    if others:
        cure = "put them into one folder, or adopt into another folder with -o"
        message = f"{project} is a project, and these clusters are in several folders"
        raise InputError((BAD_CLUSTER.result(message, cure=cure),))
    # A project that is there is compared as it renders now.
    loaded = load(str(project), None)
    refuse_errors(loaded.rendered.results, strict=False)
    results = join_spokes(observe_spokes(loaded, folder, full=True)).results
    at = "" if project == Path() else f" {project}"
    differences = sum(item.severity is not Severity.INFO for item in results)
    return AdoptionReport(
        results=results,
        sizes={"clusters": len(clusters), "differences": differences},
        sections={},
        next_steps=[f"spokerender status{at} --from {folder}"],
        note=f"{project} is a project already; nothing is written",
        status=int(has_refusal(results, strict=False)),
    )


def _gather(source: OnDisk, paths: tuple[str, ...], gatherer: Gatherer) -> list[GatheredCluster]:
    """Return the clusters, read one after another; folders such as `_fleet` are no clusters."""
    named: dict[str, str] = {}
    for path in paths:
        name = Path(path).stem if is_file(path) else Path(path).name
        # Counted, since the folder of a fleet often has `_fleet` beside the spokes.
        if name.startswith(("_", ".")):
            gatherer.left["folder of no cluster"] += 1
            continue
        fault = label_fault(name)
        message = fault and f'"{name}" can\'t be the name of a cluster: {fault}'
        if not message and named.setdefault(name, path) != path:
            message = f"{named[name]} is a cluster of that name"
        if message:
            result = BAD_CLUSTER.result(message, cure="rename it", origin=Origin(path))
            gatherer.results.append(result)
    # By name, so that the hub does not depend on the order of the arguments.
    return [
        gatherer.gather(name, require_files(source, [path])) for name, path in sorted(named.items())
    ]


def _report(project: Path, adopted: Adoption) -> AdoptionReport:
    at = "" if project == Path() else f" {project}"
    equal = sum(len(item.forms) for item in adopted.assembly.objects.values())
    return AdoptionReport(
        sizes={
            "clusters": len(adopted.clusters),
            "objects": len(adopted.assembly.objects),
            "placementLines": adopted.files["placement.yaml"].count(b"\n"),
            "equal": equal,
            "total": equal + len(adopted.stuck),
        },
        sections=tell(adopted, (project / "placement.yaml").as_posix()),
        next_steps=[f"spokerender {step}{at}" for step in ("build", "check")],
    )
