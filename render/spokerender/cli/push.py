"""`spokerender push`: each spoke's tree as an OCI artifact in a registry."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import click

from spokerender.cli import options
from spokerender.cli.checking import ONLY, checked
from spokerender.cli.loaded import Loaded
from spokerender.cli.progress import progress
from spokerender.cli.project import load
from spokerender.cli.telling import Reporting, refuse_errors
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


@click.command("push", cls=Reporting)
@click.argument("arguments", metavar="[DIR] oci://REGISTRY/PATH", nargs=-1)
@options.output
@click.option("--spoke", "spokes", metavar="SPOKE", multiple=True, help="Only this. Repeatable.")
@click.option(
    "--tag",
    "tags",
    metavar="TAG",
    multiple=True,
    default=("latest",),
    show_default=True,
    help="What the artifacts are called. Repeatable; the first says what is there already.",
)
@click.option("--source", metavar="URL", help="Where the hub is: an annotation that Flux tells on.")
@click.option("--revision", metavar="REV", help="Which of its revisions: main@sha1:…, in Flux.")
@click.option("--plain-http", is_flag=True, help="Not over TLS; on this machine it never is.")
@click.option("--dry-run", is_flag=True, help="Tell the digests, and don't use the network.")
@options.form(PushReport)
@options.strict
def command(  # noqa: PLR0913, PLR0917  (an argument for each option)
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
    """Push each spoke's tree to oci://REGISTRY/PATH/SPOKE, for Flux and for Argo CD.

    Only what check finds nothing against is pushed: the tree that is committed, true and sound.
    Else nothing is, and the exit status is 1. A spoke whose files are what the registry has keeps
    its digest. Credentials are Docker's: log in with docker login.
    """
    folder, registry = _folder_and_registry(arguments)
    refuse_bad_tags(tags)
    loaded = load(folder, output)
    refuse_errors(loaded.rendered.results, strict=strict)
    names = _chosen(loaded, spokes)
    places = {name: registry.below(name) for name in names}
    found = checked(loaded, ONLY, strict=strict)
    if found.status:
        from spokerender.report.plans import with_verdict  # noqa: PLC0415  (a true tree needs none of it)

        return PushReport(results=with_verdict(found), status=found.status)
    told = {SOURCE: source, REVISION: revision}
    made = _artifacts(loaded, places, {key: value for key, value in told.items() if value})
    if dry_run:
        lines = [_line(name, places[name], tags, each.digest) for name, each in made]
    else:
        is_plain = plain_http or registry.is_here
        lines = _pushed(made, places, tags, _pusher(registry, tags, plain=is_plain))
    return PushReport(results=found.results, spokes=len(loaded.rendered.bundles), artifacts=lines)


def _folder_and_registry(arguments: tuple[str, ...]) -> tuple[str, RegistryRepository]:
    """The registry is what begins as one; the folder may stand before it or behind it.

    Raises:
        click.UsageError: there is no registry, or more than that and a folder.

    """
    urls = [each for each in arguments if each.startswith(SCHEME)]
    folders = [each for each in arguments if each not in urls]
    if len(urls) != 1 or len(folders) > 1:
        message = "give a registry, as oci://registry/path, and at most a folder"
        raise click.UsageError(message)
    if folders and not is_folder(folders[0]):
        message = f"there is no folder {folders[0]}; a registry is written oci://registry/path"
        raise click.UsageError(message)
    return (folders or ["."])[0], RegistryRepository.read(urls[0])


def _chosen(loaded: Loaded, spokes: Sequence[str]) -> list[str]:
    """The spokes that are asked for, or all.

    Raises:
        InputError: there is no such spoke.

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


def _pushed(
    artifacts: Iterator[tuple[str, Artifact]],
    places: Mapping[str, RegistryRepository],
    tags: Sequence[str],
    push: _Push,
) -> list[PushedArtifact]:
    """Push them, one after the other.

    Raises:
        RegistryError: at one the registry refuses; those before it are there.

    """
    lines: list[PushedArtifact] = []
    show = progress("pushed")
    for name, made in artifacts:
        try:
            pushed = push(made, places[name])
        except RegistryError as error:
            so_far = f"{len(lines)} of {len(places)} spokes are pushed; push again for the others"
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
