"""What goes up from a spoke: a copy's status after its mutations, and related objects by name.

Source: kcp-dev/api-syncagent, internal/sync: status steps run on the local object, and only its
status is written back. Nothing of it is rendered: no engine applies a status.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from spokerender.kinds import Catalogue
from spokerender.model import Manifest, Ref
from spokerender.rendering.values.rendered import Copy
from spokerender.topology.hub import Hub
from spokerender.wings.publishing.config.published.model import PublishedSpec
from spokerender.wings.publishing.config.published.reading import read_published
from spokerender.wings.publishing.contexts import Engine, Home
from spokerender.wings.publishing.copies.mutations import Mutator
from spokerender.wings.publishing.copies.related import Listing, Primaries, pairs
from spokerender.wings.publishing.profiles import PROFILES

_LEGACY = {"ConfigMap": "configmaps", "Secret": "secrets"}


class GoingUp(Struct, frozen=True, eq=False):
    """What a consumer sees of one copy on one spoke; `related` are called as the consumer does."""

    status: Any
    related: tuple[Ref, ...]


def going_up(copy: Copy, live: Manifest, spoke: Hub, catalogue: Catalogue) -> GoingUp:
    """What goes up of a live copy; `spoke` has the live objects, `catalogue` the hub's kinds.

    Raises:
        Refused: a status mutation or a related entry fails, with its field.

    """
    profile = PROFILES[copy.profile]
    spec, _ = read_published(copy.published.object, copy.profile)
    assert spec is not None  # noqa: S101  (what is wrong makes no copy)
    steps = spec.mutation.status or ()
    at = ("spec", "mutation", "status")
    mutator = Mutator(profile, is_status=True)
    mutated = mutator.mutated(dict(live.object), steps, at, copy.source.object)
    return GoingUp(
        mutated.object.get("status"), tuple(_related(spec, copy, live, spoke, catalogue))
    )


def _related(
    spec: PublishedSpec, copy: Copy, live: Manifest, spoke: Hub, catalogue: Catalogue
) -> Iterator[Ref]:
    there = {manifest.ref for manifest in spoke.manifests}
    both = Primaries(copy.source.object, live.object, Home(copy.cluster, copy.path))
    for index, related in enumerate(spec.related):
        if related.origin != "service":
            continue
        plural = _LEGACY[related.kind] if related.kind else related.resource or ""
        group, up = related.group or "", related.projection
        kind = catalogue.by_resource(group, plural)
        if kind is None:
            continue
        seen = catalogue.by_resource(
            (up.group or group) if up else group, (up.resource or plural) if up else plural
        )
        listing = _listing(spoke, (kind.group, kind.kind))
        namespaces: Listing = [("", name, data) for name, data in spoke.namespaces.items()]
        engine, at = Engine(PROFILES[copy.profile]), ("spec", "related", index)
        for pair in pairs(related, both, (listing, namespaces), engine, at):
            if Ref(kind.group, kind.kind, *pair.origin) in there:
                shown = seen or kind
                yield Ref(shown.group, shown.kind, *pair.destination)


def _listing(spoke: Hub, identity: tuple[str, str]) -> Listing:
    return [
        (manifest.ref.namespace, manifest.ref.name, manifest.object)
        for manifest in spoke.manifests
        if (manifest.ref.group, manifest.ref.kind) == identity
    ]
