"""Pushing artifacts: what is there already is left as it is."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from spokerender.edge.registry.artifacts import Artifact, digest_of
from spokerender.edge.registry.connection import Connection
from spokerender.edge.registry.references import Repository


class Pushed(Struct, frozen=True):
    """What became of an artifact: its digest in the registry, and whether that had to change."""

    digest: str
    is_new: bool


class Pusher:
    """Pushes artifacts to one registry, one after the other."""

    def __init__(self, repository: Repository, *, plain: bool) -> None:
        """Know the registry, and the credentials for it.

        Raises:
            RegistryError: Docker's configuration can't be read.

        """
        self._connection = Connection(repository, plain=plain)

    def push(self, artifact: Artifact, repository: Repository, tags: Sequence[str]) -> Pushed:
        """Push an artifact, and let the tags stand for it.

        Where the first tag stands for the same content already, its manifest stays, whatever
        annotations it has: they tell where that content came from. What a tag stands for comes
        last, so a push that is killed leaves each tag as it was or as it shall be.

        Raises:
            RegistryError: the registry can't be reached, or does not take it.

        """
        first = self._connection.manifest(repository, tags[0])
        is_there = first is not None and artifact.has_content_of(first)
        manifest = first if first is not None and is_there else artifact.manifest
        for blob in artifact.blobs:
            self._connection.keep(repository, blob)
        changed = False
        for tag in tags:
            if self._connection.manifest(repository, tag) != manifest:
                self._connection.tag(repository, tag, manifest)
                changed = True
        return Pushed(digest_of(manifest), changed)
