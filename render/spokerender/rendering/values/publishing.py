"""What publishing gives: a hub with copies, what goes where without a gateway, and sources."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from spokerender.findings.results import Result
from spokerender.model import Manifest, Ref
from spokerender.topology.hub import Hub

CLUSTER_LABEL = "syncagent.kcp.io/remote-object-cluster"
AGENT_LABEL = "syncagent.kcp.io/agent-name"
"""The agent's own labels, by which a copy is known, also in a tree of yesterday."""


class Copy(Struct, frozen=True, eq=False):
    """A consumer's object and what has become of it.

    `source` is the object as its consumer wrote it, under the identity that it has in its
    workspace; `manifest` is the copy. `published` is the PublishedResource that says so, `face` the
    CRD that the consumer sees; a related object has none. `cluster` and `path` are the workspace's.
    """

    workspace: str
    source: Manifest
    manifest: Manifest
    agent: str
    published: Manifest
    face: Mapping[str, Any] | None
    profile: str
    cluster: str
    path: str

    @property
    def name(self) -> str:
        """What a user calls it: `team-a|AuthPolicy/shop/cart`."""
        ref = self.source.ref
        place = f"{ref.namespace}/{ref.name}" if ref.namespace else ref.name
        return f"{self.workspace}|{ref.kind}/{place}"


class NeededSecret(Struct, frozen=True):
    """A Secret that a spoke must have because a PublishedResource relates it to a copy.

    `note` says what it is called in the workspace; `copy` is what the hub calls the copy.
    """

    ref: Ref
    note: str
    copy: Ref


class ConsumerStatus(Struct, frozen=True, eq=False):
    """One consumer's object on one spoke: its status there, and what goes up with it."""

    workspace: str
    object: Ref
    spoke: str
    status: Any
    related: tuple[Ref, ...]


class Published(Struct, frozen=True, eq=False):
    """The hub as everything after publishing sees it, and what publishing has to say.

    `sent` are the spokes of objects that go there whatever gateways are placed. `files` are those
    of `published/` by their paths, with their bytes; None for one that goes. `clusters` are the
    logical clusters of all workspaces, `offers` agent, group and kind of what copies are made of,
    `crds` the CRDs that the service cluster has of them.
    """

    hub: Hub
    sent: Mapping[Manifest, frozenset[str]] = field(default_factory=dict)
    copies: Mapping[Ref, Copy] = field(default_factory=dict)
    secrets: tuple[NeededSecret, ...] = ()
    files: Mapping[str, bytes | None] = field(default_factory=dict)
    results: tuple[Result, ...] = ()
    clusters: frozenset[str] = frozenset()
    offers: frozenset[tuple[str, str, str]] = frozenset()
    crds: tuple[Mapping[str, Any], ...] = ()
