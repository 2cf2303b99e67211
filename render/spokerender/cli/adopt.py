"""`spokerender adopt`: make one hub and one placement of clusters with copies of their policies."""

import os
from functools import partial
from pathlib import Path

import click

from spokerender.adopting.fleets.adopt import Adoption
from spokerender.adopting.fleets.gathering import Gatherer, find_field
from spokerender.adopting.fleets.telling import tell
from spokerender.adopting.fleets.values import Adopted, GatheredCluster
from spokerender.adopting.starting import ESSENTIAL
from spokerender.cli import options
from spokerender.cli.given_files import render_new_project, write_all
from spokerender.cli.project import load
from spokerender.cli.reporting import ReportCommand, has_refusal, progress, refuse_errors
from spokerender.cli.snapshots import observe_spokes
from spokerender.edge.files import OnDisk
from spokerender.edge.installed import list_versions
from spokerender.edge.presence import is_file
from spokerender.edge.reading import require_files
from spokerender.explain.observed.statuses import join_spokes
from spokerender.findings.codes.project import BAD_CLUSTER, IN_THE_WAY, NOTHING
from spokerender.findings.errors import InputError
from spokerender.findings.results import Severity
from spokerender.model import Origin, Ref
from spokerender.model.names import label_fault
from spokerender.model.refs import FieldPath
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
    if any(map(os.path.lexists, (project / name for name in ESSENTIAL))):
        return _compare(project, clusters)
    if os.path.lexists(project / "hub"):
        cure = "adopt into another folder with -o; to add to a hub, use spokerender import"
        raise InputError((IN_THE_WAY.result(f"{project / 'hub'} is there already", cure=cure),))
    source = OnDisk(Path())
    gatherer = Gatherer(all_engines().marks)
    gathered = _gather(source, clusters, gatherer)
    # All clusters are read first, so that every unreadable one is named at once.
    refuse_errors(gatherer.results, strict=False)
    adopted = Adoption(
        gathered, gatherer, list_versions(), partial(render_new_project, source)
    ).adopt()
    # Before writing: the report may still fail, and then nothing is half written.
    report = _report(project, source, adopted)
    write_all(project, adopted.files)
    return report


def _compare(project: Path, clusters: tuple[str, ...]) -> Report:
    """Return the differences between clusters and a project, as `status --from` does."""
    folders = {Path(path).parent.as_posix() for path in clusters}
    # `status --from` reads all clusters in one folder.
    if len(folders) > 1:
        cure = "put them into one folder, or adopt into another folder with -o"
        message = f"{project} is a project, and these clusters are in several folders"
        raise InputError((BAD_CLUSTER.result(message, cure=cure),))
    # A project that is there is compared as it renders now.
    loaded = load(str(project), None)
    refuse_errors(loaded.rendered.results, strict=False)
    folder = folders.pop()
    compared = join_spokes(observe_spokes(loaded, folder, full=True))
    different = [item for item in compared.results if item.severity is not Severity.INFO]
    return AdoptionReport(
        results=compared.results,
        sizes={"clusters": len(clusters), "differences": len(different)},
        sections={},
        next_steps=[f"spokerender status{_at(project)} --from {folder}"],
        note=f"{project} is a project already; nothing is written",
        status=int(has_refusal(compared.results, strict=False)),
    )


def _gather(source: OnDisk, paths: tuple[str, ...], gatherer: Gatherer) -> list[GatheredCluster]:
    """Read the clusters one after another; folders such as `_fleet` are no clusters."""
    named: dict[str, str] = {}
    for path in paths:
        name = Path(path).stem if is_file(path) else Path(path).name
        message, cure = "", "rename it"
        if name.startswith(("_", ".")):
            # Counted, since the folder of a fleet often has `_fleet` beside the spokes.
            gatherer.left["folder of no cluster"] += 1
            continue
        if fault := label_fault(name):
            message = f'"{name}" can\'t be the name of a cluster: {fault}'
        elif (other := named.setdefault(name, path)) != path:
            message = f"{other} is a cluster of that name"
        if message:
            result = BAD_CLUSTER.result(message, cure=cure, origin=Origin(path))
            gatherer.results.append(result)
    show = progress("read")
    clusters: list[GatheredCluster] = []
    # By name, so that the hub does not depend on the order of the arguments.
    for name, path in sorted(named.items()):
        clusters.append(gatherer.gather(name, require_files(source, [path])))
        if show is not None:
            show(len(clusters), len(named))
    if not any(cluster.forms for cluster in clusters) and not gatherer.results:
        gatherer.results.append(
            NOTHING.result(
                "the clusters have no object that may hang on a Gateway", cure="name others"
            )
        )
    return clusters


def _report(project: Path, source: OnDisk, adopted: Adopted) -> AdoptionReport:
    clusters = {cluster.name: cluster for cluster in adopted.clusters}

    def locate(cluster: str, hub: Ref, path: FieldPath) -> Origin:
        """Return the line of a field, or the file of a cluster without such an object."""
        # By identity: two objects of a cluster may have equal forms.
        form = adopted.assembly.objects[hub].forms.get(cluster)
        exact = next((r for r, f in clusters[cluster].forms.items() if f is form), None)
        if exact is None:
            return Origin(os.path.commonpath(clusters[cluster].files.values()))
        # The file is read again only for lines that the report quotes.
        (file,) = require_files(source, [clusters[cluster].files[exact]])
        return find_field(file, exact, path)

    def lines(path: str) -> int:
        return sum(
            data.count(b"\n") for name, data in adopted.files.items() if name.startswith(path)
        )

    left = adopted.left
    return AdoptionReport(
        sizes={
            "clusters": len(clusters),
            "objects": len(adopted.assembly.objects),
            "hubLines": lines("hub/"),
            "placementLines": lines("placement.yaml"),
            "equal": left.equal,
            "total": left.equal + left.count_others(),
        },
        sections=tell(adopted, (project / "placement.yaml").as_posix(), locate),
        next_steps=[f"spokerender {step}{_at(project)}" for step in ("build", "check")],
    )


def _at(project: Path) -> str:
    return "" if project == Path() else f" {project}"
