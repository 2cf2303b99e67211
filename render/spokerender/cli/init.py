"""`spokerender init`: create a working project to start from."""

import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import click
from msgspec.structs import replace

from spokerender.adopting.starting import ESSENTIAL, Answers, is_sample, next_steps, project_files
from spokerender.cli import options
from spokerender.cli.given_files import redact_url, render_new_project, write_all
from spokerender.cli.reporting import ReportCommand, refuse_errors
from spokerender.edge import files
from spokerender.edge.files import OnDisk
from spokerender.edge.git.repository import below_top
from spokerender.edge.installed import installed_source, is_source, list_versions, read_record
from spokerender.edge.reading import require_files, source_has
from spokerender.edge.templates import carried_templates
from spokerender.findings.codes.hub import NO_NAMESPACE
from spokerender.findings.codes.project import IN_THE_WAY, LEFT_ALONE
from spokerender.findings.errors import InputError
from spokerender.findings.results import Result, Severity
from spokerender.model import Origin
from spokerender.model.names import label_fault
from spokerender.model.sources import Files, Source
from spokerender.rendering.values.rendered import Rendered
from spokerender.report.reports import WrittenReport
from spokerender.wings.combined import all_engines, build_schema

_ENGINES = ("argocd", "flux", "ocm", "none")
_RUNNERS = ("github", "gitlab", "none")
_SPOKES = "eu-west-1,us-east-1"
OUTPUT = "clusters"
"""The default of `FleetSpec.output`."""


@click.command("init", cls=ReportCommand)
@click.argument("folder", metavar="[DIR]", default=".", type=click.Path(file_okay=False))
@click.option("--spokes", metavar="NAME,...", help=f"The clusters. Default: {_SPOKES}.")
@click.option(
    "--delivery",
    type=click.Choice(_ENGINES),
    help="The tool that applies the trees to the clusters. Default: asked, or none.",
)
@click.option("--repo-url", metavar="URL", help="The repository that Argo CD reads the trees from.")
@click.option(
    "--ci", type=click.Choice(_RUNNERS), help="The CI system that runs the check on every change."
)
@click.option(
    "--source",
    metavar="URL",
    help="Where CI installs spokerender from: git+https://HOST/PATH.git@COMMIT, or the URL of an "
    "index that has it. Default: the commit that this installation came from.",
)
@options.form(WrittenReport)
def init(  # noqa: PLR0913, PLR0917  (an argument for each option)
    folder: str,
    spokes: str | None,
    delivery: str | None,
    repo_url: str | None,
    ci: str | None,
    source: str | None,
) -> WrittenReport:
    """Create a project in DIR: a hub, a placement, a fleet file, delivery, CI and a README.

    On a terminal, what no option says is asked. Where hub/ has manifests already (of `spokerender
    import`, say), the project is made around them, and nothing is rendered before you have seen
    what goes where; else it gets a sample, with its trees. Nothing that is there is overwritten.
    What the hub names and does not have is listed under external in fleet.yaml, to be checked.
    """
    # Questions are asked before anything is read or written, so Ctrl-C leaves no trace.
    answers = replace(_answers(folder, spokes, delivery, repo_url, ci), source=_source(source))
    project = Path(folder)
    disk = OnDisk(project)
    hub = require_files(disk, ["hub"]) if source_has(disk, "hub") else ()
    texts = project_files(
        answers, hub, carried_templates(), build_schema(), has_crds=source_has(disk, "crds")
    )
    results = tuple(_in_the_way(project, texts))
    refuse_errors(results, strict=False)
    data = {path: text.encode() for path, text in texts.items()}
    # Rendered in memory first: a project that cannot be built is not written half.
    errors, rendered = _try(disk, data, hub)
    # A hub that is there may have errors: the project is made all the same, to mend them in it.
    if is_sample(texts):
        refuse_errors(errors, strict=False)
    left = {result.origin.path for result in results if result.origin is not None}
    new = {path: item for path, item in data.items() if (project / path).as_posix() not in left}
    created = [*new]
    if is_sample(texts) and rendered is not None:
        created += _write(project, new, rendered)
    else:
        write_all(project, new)
    return WrittenReport(
        results=(*results, *errors),
        status=int(bool(errors)),
        note="the project is made; these errors are left for you to mend" if errors else "",
        created=[(project / path).as_posix() for path in created],
        next_steps=(
            *([] if folder == "." else [f"cd {folder}"]),
            *next_steps(answers, is_sample=is_sample(texts)),
        ),
    )


def _try(
    source: Source, files: Mapping[str, bytes], hub: Files
) -> tuple[tuple[Result, ...], Rendered | None]:
    """Render the project; return the errors, likely causes first, and the fleet or None."""
    try:
        rendered = render_new_project(source, files, hub)
        results = rendered.results
    except InputError as error:
        rendered, results = None, error.results
    errors = [result for result in results if result.severity is Severity.ERROR]
    causes = [result for result in results if result.code == NO_NAMESPACE.code]
    return tuple(causes + errors if errors else ()), rendered


def _write(project: Path, new: Mapping[str, bytes], rendered: Rendered) -> list[str]:
    """Write the files and the tree, unless a file is in the way; return the paths in the tree."""
    output = project / OUTPUT
    files.refuse_outside(project, output)
    with files.locked(output):
        plan = files.compare(output, rendered.tree)
        refuse_errors(files.findings(plan, output, all_engines().rules), strict=False)
        write_all(project, new)
        files.apply(output, plan, rendered.tree)
    return [f"{OUTPUT}/{folder.folder}/{path}" for folder in plan.folders for path in folder.create]


def _answers(
    folder: str, spokes: str | None, delivery: str | None, repo_url: str | None, ci: str | None
) -> Answers:
    """Return the values of options; for each that is absent, the user's answer or the default."""
    spokes = _prompt("Clusters, by name", _SPOKES) if spokes is None else spokes
    names = tuple(name.strip() for name in spokes.split(","))
    for name in names:
        fault = label_fault(name)
        if fault:
            options.refuse_usage(f'"{name}" can\'t be the name of a cluster: {fault}')
    if len(set(names)) < len(names):
        options.refuse_usage("a cluster is named twice")
    # Without a terminal nobody can be asked for the URL that Argo CD needs.
    default = "argocd" if sys.stdin.isatty() or repo_url is not None else "none"
    engine = delivery or _prompt("What applies the trees", default, _ENGINES)
    if engine == "argocd" and not repo_url:
        if not sys.stdin.isatty():
            options.refuse_usage(
                "Argo CD reads the trees from a repository: name it, --repo-url URL"
            )
        repo_url = _prompt("The repository's URL, for Argo CD", None)
    # Of `.`, the real name is wanted.
    name = re.sub(r"[^a-z0-9]+", "-", Path(os.path.realpath(folder)).name.lower()).strip("-")
    return Answers(
        # The longest DNS label; engines name objects after it.
        name=name[:63].rstrip("-") or "policies",
        spokes=names,
        delivery=engine,
        repo_url=repo_url or "",
        path=f"{below}/{OUTPUT}" if (below := below_top(Path(folder))) else "",
        ci=ci or _prompt("What runs the check", "github", _RUNNERS),
        requires=list_versions(),
        source="",
    )


def _source(source: str | None) -> str:
    """Return what CI installs: the option, or the source of the running version, if known."""
    if source is None:
        return installed_source(read_record())
    if not is_source(source):
        options.refuse_usage(
            f"--source: {redact_url(source)!r} is neither a commit with all digits, "
            "git+https://HOST/PATH.git@COMMIT, nor the https:// URL of an index without credentials"
        )
    return source


def _prompt(question: str, default: str | None, choices: Sequence[str] = ()) -> str:
    """Return the answer of a user on a terminal; without a terminal, the default."""
    if not sys.stdin.isatty():
        return default or ""
    kind = click.Choice(choices) if choices else None
    return str(click.prompt(question, default=default, type=kind, err=True))


def _in_the_way(project: Path, texts: Mapping[str, str]) -> Iterable[Result]:
    """Yield a finding for each existing file: an error for a file of a project, else an info."""
    for path in texts:
        place = (project / path).as_posix()
        if os.path.lexists(place):
            kind, cure = IN_THE_WAY, "there is a project here already: choose another folder"
            if path not in ESSENTIAL:
                kind, cure = LEFT_ALONE, "nothing has to be done"
            yield kind.result(f"{place} is there already", cure=cure, origin=Origin(place))
