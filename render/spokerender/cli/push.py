"""`spokerender push`: push each spoke's tree to a registry as an OCI artifact."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import click

from spokerender.cli import options
from spokerender.cli.check import CHECKS, check_project
from spokerender.cli.loaded import Loaded
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
    its digest.

    Credentials are Docker's: log in with `docker login`.
    """
    folder, registry = _folder_and_registry(arguments)
    refuse_bad_tags(tags)
    loaded = load(folder, output)
    refuse_errors(loaded.rendered.results, strict=strict)
    names = _chosen(loaded, spokes)
    places = {name: registry.below(name) for name in names}
    report = check_project(loaded, CHECKS, strict=strict)
    if report.status:
        from spokerender.report.plans import with_verdict  # noqa: PLC0415  (a true tree needs none of it)

        return PushReport(results=with_verdict(report), status=report.status)
    annotations = {SOURCE: source, REVISION: revision}
    artifacts = _artifacts(loaded, places, {key: text for key, text in annotations.items() if text})
    if dry_run:
        lines = [_line(name, places[name], tags, item.digest) for name, item in artifacts]
    else:
        is_plain = plain_http or registry.is_here
        lines = _push_all(artifacts, places, tags, _pusher(registry, tags, plain=is_plain))
    return PushReport(results=report.results, spokes=len(loaded.rendered.bundles), artifacts=lines)


def _folder_and_registry(arguments: tuple[str, ...]) -> tuple[str, RegistryRepository]:
    """Return the project and the registry, which may stand in any order.

    Raises:
        click.UsageError: there is no registry, or there are more arguments than these.

    """
    urls = [argument for argument in arguments if argument.startswith(SCHEME)]
    folders = [argument for argument in arguments if argument not in urls]
    if len(urls) != 1 or len(folders) > 1:
        message = "give one registry, as oci://registry/path, and at most one folder"
        raise click.UsageError(message)
    if folders and not is_folder(folders[0]):
        message = f"{folders[0]} is not a folder; a registry begins with oci://"
        raise click.UsageError(message)
    return (folders or ["."])[0], RegistryRepository.read(urls[0])


def _chosen(loaded: Loaded, spokes: Sequence[str]) -> list[str]:
    """Return the spokes that the user named, or all.

    Raises:
        InputError: a spoke is not declared.

    """
    from spokerender.explain.lookup import find_spoke  # noqa: PLC0415  (start-up counts)

    for name in spokes:
        find_spoke(loaded.rendered, name)
    return sorted(set(spokes) or loaded.rendered.bundles)


def _artifacts(
    loaded: Loaded, places: Mapping[str, RegistryRepository], annotations: Mapping[str, str]
) -> Iterator[tuple[str, Artifact]]:
    for name in places:
        yield name, make_artifact(loaded.rendered.tree.files(name), annotations)


def _pusher(registry: RegistryRepository, tags: Sequence[str], *, plain: bool) -> _Push:
    from spokerender.edge.registry.connection import Pusher  # noqa: PLC0415  (start-up counts)

    return partial(Pusher(registry, plain=plain).push, tags=tags)


def _push_all(
    artifacts: Iterator[tuple[str, Artifact]],
    places: Mapping[str, RegistryRepository],
    tags: Sequence[str],
    push: _Push,
) -> list[PushedArtifact]:
    """Push artifacts one after the other.

    Raises:
        RegistryError: the registry refuses one; those before it are pushed.

    """
    lines: list[PushedArtifact] = []
    show = progress("pushed")
    for name, item in artifacts:
        try:
            pushed = push(item, places[name])
        except RegistryError as error:
            so_far = (
                f"{len(lines)} of {len(places)} spokes are pushed; run push again for the others"
            )
            message = f"{error}\n{so_far}"
            raise RegistryError(message) from error
        lines.append(_line(name, places[name], tags, pushed.digest, is_new=pushed.is_new))
        if show is not None:
            show(len(lines), len(places))
    return lines


def _line(
    name: str,
    place: RegistryRepository,
    tags: Sequence[str],
    digest: str,
    *,
    is_new: bool | None = None,
) -> PushedArtifact:
    return PushedArtifact(
        spoke=name, repository=str(place), tags=tags, digest=digest, is_new=is_new
    )
