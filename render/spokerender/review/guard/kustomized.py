"""What kustomize makes of a spoke's folder that is committed, as far as the guard must know.

Engines read a folder through its kustomization. One that a build wrote lists files and nothing
else; a file that is not listed protects nothing, and what another one does beyond that is told.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from spokerender.findings.codes.deletions import HAND_MADE
from spokerender.findings.results import Result
from spokerender.findings.words import joined
from spokerender.formats import yamlio
from spokerender.model.ownership import KUSTOMIZATION
from spokerender.rendering.values.layout import kustomization

_LISTING = "resources"
_SHOWN = 5
_OURS = frozenset({"apiVersion", "kind", _LISTING})


class Kustomized(Struct, frozen=True):
    """What a kustomization makes of a folder.

    `listed` are the files that it applies; None where that is not known, or all of them. `more` is
    what it has besides, in words.
    """

    listed: frozenset[str] | None = None
    more: tuple[str, ...] = ()

    def applied(self, files: Mapping[str, bytes]) -> Mapping[str, bytes]:
        """The files of the folder that count."""
        if self.listed is None:
            return files
        return {path: data for path, data in files.items() if path in self.listed}


def kustomized(files: Mapping[str, bytes]) -> Kustomized:
    """What kustomize makes of a folder with these files, whoever wrote them.

    A folder without a kustomization is applied whole, if at all.
    """
    data = files.get(KUSTOMIZATION)
    if data is None or data.replace(b"\r\n", b"\n") == kustomization(
        files.keys() - {KUSTOMIZATION}
    ):
        return Kustomized()
    documents, problems = yamlio.read(data, KUSTOMIZATION)
    value: Any = documents[0].value if len(documents) == 1 else None
    resources = value.get(_LISTING) if isinstance(value, Mapping) else None
    if problems or not isinstance(value, Mapping) or not isinstance(resources or [], list):
        return Kustomized(more=("what can't be read",))
    paths = [posixpath.normpath(each) for each in resources or () if isinstance(each, str)]
    more = [
        *sorted(set(value) - _OURS),
        *(f"{_LISTING}: {path}" for path in sorted(set(paths) - files.keys())),
    ]
    return Kustomized(more=tuple(more)) if more else Kustomized(frozenset(paths))


def hand_made(found: Kustomized, place: str) -> Iterator[Result]:
    """What is told of a spoke's kustomization that does more than list files."""
    if found.more:
        yield HAND_MADE.result(
            f"the {KUSTOMIZATION} in {place} has {joined(found.more, _SHOWN)}: what is on the "
            "spoke is not what the files say",
            cure="take it out, or build anew; what it is for belongs into the hub or the placement",
        )
