"""`spokerender push`: push each spoke's tree to a registry as an OCI artifact."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import click

from spokerender.cli import options
from spokerender.cli.check import CHECKS, check_project
from spokerender.cli.loaded import Loaded, tree_after
from spokerender.cli.project import load
from spokerender.cli.reporting import ReportCommand, progress, refuse_errors
from spokerender.edge.presence import is_folder
from spokerender.edge.registry.artifacts import REVISION, SOURCE, Artifact, make_artifact
from spokerender.edge.registry.references import (
    SCHEME,
    RegistryError,
    RegistryRepository,
    refuse_bad_tags,
)
from spokerender.report.reports import PushedArtifact, PushReport

if TYPE_CHECKING:
    from spokerender.edge.registry.connection import Pushed

_Push = Callable[[Artifact, RegistryRepository], "Pushed"]


@click.command("push", cls=ReportCommand)
@click.argument("arguments", metavar="[DIR] oci://REGISTRY/PATH", nargs=-1)
@options.output
@click.option(
    "--spoke", "spokes", metavar="SPOKE", multiple=True, help="Push only this spoke. Repeatable."
)
@click.option(
    "--tag",
    "tags",
    metavar="TAG",
    multiple=True,
    default=("latest",),
    show_default=True,
    help="A tag of the artifacts. Repeatable; the first decides whether a spoke changed.",
)
@click.option(
    "--source",
    metavar="URL",
    help="The URL of the hub's repository, as an annotation that Flux shows.",
)
@click.option(
    "--revision",
    metavar="REV",
    help="The revision in that repository; Flux expects main@sha1:HASH.",
)
@click.option(
    "--plain-http",
    is_flag=True,
    help="Use HTTP without TLS, as is always done for a registry on this machine.",
)
@click.option("--dry-run", is_flag=True, help="Print the digests without using the network.")
@options.form(PushReport)
@options.strict
def push(  # noqa: PLR0913, PLR0917  (an argument for each option)
    arguments: tuple[str, ...],
    output: str | None,
    spokes: tuple[str, ...],
    tags: tuple[str, ...],
    source: str | None,
    revision: str | None,
    *,
    plain_http: bool,
    dry_run: bool,
    strict: bool,
) -> PushReport:
    """Push each spoke's tree as an OCI artifact to oci://REGISTRY/PATH/SPOKE.

    DIR is the project. Flux and Argo CD apply such artifacts. Nothing is pushed, and the exit
    status is 1, if a check fails or the output is stale. A spoke whose files did not change keeps
    its digest. A spoke that waits for its wave is pushed as its folder is.

    Credentials are Docker's: log in with `docker login`.
    """
    folder, registry = _folder_and_registry(arguments)
    refuse_bad_tags(tags)
    loaded = load(folder, output)
    refuse_errors(loaded.rendered.results, strict=strict)
    tree = tree_after(loaded.rendered)
    names = [name for name in _chosen(loaded, spokes) if name in tree.folders]
    places = {name: registry.below(name) for name in names}
    report = check_project(loaded, CHECKS, strict=strict)
    if report.status:
        return PushReport(results=report.all_results, status=report.status)
    given = {SOURCE: source, REVISION: revision}
    annotations = {key: text for key, text in given.items() if text}
    artifacts = ((name, make_artifact(tree.files(name), annotations)) for name in names)
    if dry_run:
        outcomes = {name: (artifact.digest, "not pushed") for name, artifact in artifacts}
    else:
        is_plain = plain_http or registry.is_here
        outcomes = _push_all(artifacts, places, _pusher(registry, tags, plain=is_plain))
    return PushReport(
        results=report.results,
        spokes=len(loaded.rendered.bundles),
        artifacts=[
            PushedArtifact(name, str(places[name]), tags, *outcome)
            for name, outcome in outcomes.items()
        ],
    )


def _folder_and_registry(arguments: tuple[str, ...]) -> tuple[str, RegistryRepository]:
    """Return the project and the registry, which may stand in any order."""
    urls = [argument for argument in arguments if argument.startswith(SCHEME)]
    folders = [argument for argument in arguments if argument not in urls]
    if len(urls) != 1 or len(folders) > 1:
        options.refuse_usage("give one registry, as oci://registry/path, and at most one folder")
    if folders and not is_folder(folders[0]):
        options.refuse_usage(f"{folders[0]} is not a folder; a registry begins with oci://")
    return (folders or [options.find_project()])[0], RegistryRepository.read(urls[0])


def _chosen(loaded: Loaded, spokes: Sequence[str]) -> list[str]:
    """Return the spokes that the user named, or all."""
    from spokerender.explain.lookup import find_spoke  # noqa: PLC0415  (start-up counts)

    for name in spokes:
        find_spoke(loaded.rendered, name)
    return sorted(set(spokes) or loaded.rendered.bundles)


def _pusher(registry: RegistryRepository, tags: Sequence[str], *, plain: bool) -> _Push:
    from spokerender.edge.registry.connection import Pusher  # noqa: PLC0415  (start-up counts)

    return partial(Pusher(registry, plain=plain).push, tags=tags)


def _push_all(
    artifacts: Iterator[tuple[str, Artifact]],
    places: Mapping[str, RegistryRepository],
    push: _Push,
) -> dict[str, tuple[str, str]]:
    """Push artifacts one after the other; return the digest and the state of each."""
    outcomes: dict[str, tuple[str, str]] = {}
    show = progress("pushed")
    for name, artifact in artifacts:
        try:
            pushed = push(artifact, places[name])
        except RegistryError as error:
            so_far = f"{len(outcomes)} of {len(places)} spokes are pushed"
            message = f"{error}\n{so_far}; run push again for the others"
            raise RegistryError(message) from error
        outcomes[name] = pushed.digest, "pushed" if pushed.is_new else "unchanged"
        if show is not None:
            show(len(outcomes), len(places))
    return outcomes
