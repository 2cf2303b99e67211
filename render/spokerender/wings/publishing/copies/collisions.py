"""Copies of one identity: of two sources, or beside what the hub has."""

from __future__ import annotations

from collections.abc import Iterable

from spokerender.findings.codes.publishing import SAME_COPY
from spokerender.findings.results import Result
from spokerender.model import Origin, Ref
from spokerender.rendering.values.rendered import Copy
from spokerender.topology.hub import Hub


def distinct(hub: Hub, copies: Iterable[Copy]) -> tuple[list[Copy], list[Result]]:
    """One copy of each identity, over all workspaces, agents and the hub; the others are told."""
    taken: dict[Ref, tuple[str, Origin]] = {m.ref: ("the hub", m.origin) for m in hub.manifests}
    kept: dict[Ref, Copy] = {}
    results: list[Result] = []
    for copy in copies:
        ref = copy.manifest.ref
        other = kept.get(ref)
        is_same = other is not None and other.source is copy.source
        if other is not None and is_same and other.manifest.object == copy.manifest.object:
            continue  # one object that follows two primaries
        if ref in taken:
            whose, origin = taken[ref]
            message = f"its copy would be {ref}, and so is {whose} ({origin})"
            cure = "let the names of copies have the workspace, the namespace and the name in them"
            results.append(
                SAME_COPY.result(
                    message, cure=cure, resource=copy.source.ref, origin=copy.source.origin
                )
            )
            continue
        taken[ref] = (f"that of {copy.name}", copy.source.origin)
        kept[ref] = copy
    return list(kept.values()), results
