"""A rendered fleet, its settings, and the contributions of wings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from spokerender.findings.results import Result
from spokerender.findings.suppressions import Accepted
from spokerender.model import Manifest, Origin, Ref
from spokerender.model.refs import GroupKind
from spokerender.model.selectors import ExternalObjects
from spokerender.rendering.values.bundles import Bundle
from spokerender.rendering.values.placement import Decision, SyncList
from spokerender.rendering.values.stages import Stage
from spokerender.rendering.values.trees import Tree
from spokerender.topology.graph import Topology
from spokerender.topology.hub import Hub

if TYPE_CHECKING:  # start-up counts: few projects have them
    from spokerender.model.releases import BundledRelease
    from spokerender.model.rollout import RolloutState


class Settings(Struct, frozen=True, eq=False):
    """The settings of fleet.yaml that matter after rendering.

    If `one_file`, all objects of a spoke are in one file. `external` are objects that spokes have
    and the hub lacks. `crd_releases` are the bundled CRD releases that the project names.
    """

    one_file: bool
    creates_namespaces: bool
    external: ExternalObjects
    suppressions: Sequence[Accepted]
    crd_releases: tuple[BundledRelease, ...] = ()


class Copy(Struct, frozen=True, eq=False):
    """An object in the hub that was copied from a workspace of kcp.

    `workspace` is the workspace's name, `cluster` and `path` its identifiers in kcp. `source` is
    the object as its author wrote it, with its identity there; `manifest` is the copy. The object
    `published` tells the sync agent `agent` to copy. `face` is the CRD that authors of the source
    see, None if they see that of the copy's kind.
    """

    workspace: str
    source: Manifest
    manifest: Manifest
    agent: str
    published: Manifest
    face: Mapping[str, Any] | None
    cluster: str
    path: str

    @property
    def name(self) -> str:
        """Return the name for users: `team-a|AuthPolicy/shop/cart`."""
        ref = self.source.ref
        place = f"{ref.namespace}/{ref.name}" if ref.namespace else ref.name
        return f"{self.workspace}|{ref.kind}/{place}"


class NeededSecret(Struct, frozen=True):
    """A Secret that a spoke must have for the object `copy`; without a name, `selector` selects it.

    `note` tells users where the Secret is in kcp: its name there, if it has one, and its workspace.
    """

    ref: Ref
    note: str
    copy: Ref
    selector: str = ""


def _nothing(*_: object) -> tuple[Any, ...]:
    return ()


class Contribution(Struct, frozen=True, eq=False):
    """The additions of one wing, or of all wings together, to a fleet.

    `manifests` are added to the hub's; `is_plain` is true if all their text is plain (`Hub`).
    `listed` are kinds to sync in addition to those that users list. `stages` returns the stages to
    run after retargeting, given the hub's topology. `results` are findings; `late_results` returns
    the findings that need the hub's topology. `check` returns the findings of `spokerender check`
    on a rendered fleet; its second argument returns the line of a field of fleet.yaml. `files` are
    the files beside fleet.yaml that a build writes, by path; None deletes the file. `guard_reason`
    returns why the deletion of an object of a committed tree, given its identity and labels, must
    be acknowledged although the object protects nothing; empty if it need not be.
    """

    manifests: tuple[Manifest, ...] = ()
    is_plain: bool = True
    listed: frozenset[GroupKind] = frozenset()
    copies: Mapping[Ref, Copy] = field(default_factory=dict)
    secrets: tuple[NeededSecret, ...] = ()
    files: Mapping[str, bytes | None] = field(default_factory=dict)
    results: tuple[Result, ...] = ()
    stages: Callable[[Topology], tuple[Stage, ...]] = _nothing
    late_results: Callable[[Topology], tuple[Result, ...]] = _nothing
    check: Callable[[Rendered, Callable[..., Origin]], tuple[Result, ...]] = _nothing
    guard_reason: Callable[[Ref, Mapping[str, str]], str] = lambda *_: ""
    guard_markers: tuple[str, ...] = ()
    crds: tuple[Mapping[str, Any], ...] = ()


def join_contributions(parts: tuple[Contribution, ...]) -> Contribution:
    """Return the contributions of several wings, in their order, as one contribution."""
    if len(parts) == 1:
        return parts[0]
    return Contribution(
        manifests=tuple(manifest for part in parts for manifest in part.manifests),
        is_plain=all(part.is_plain for part in parts),
        listed=frozenset[GroupKind]().union(*(part.listed for part in parts)),
        copies={ref: copy for part in parts for ref, copy in part.copies.items()},
        secrets=tuple(secret for part in parts for secret in part.secrets),
        files={path: data for part in parts for path, data in part.files.items()},
        results=tuple(result for part in parts for result in part.results),
        stages=lambda topology: tuple(s for part in parts for s in part.stages(topology)),
        late_results=lambda topology: tuple(
            result for part in parts for result in part.late_results(topology)
        ),
        check=lambda rendered, at: tuple(
            result for part in parts for result in part.check(rendered, at)
        ),
        # The first wing with a reason is enough: the acknowledgement is for the object.
        guard_reason=lambda ref, labels: next(
            (reason for part in parts if (reason := part.guard_reason(ref, labels))), ""
        ),
        guard_markers=tuple(marker for part in parts for marker in part.guard_markers),
        crds=tuple(crd for part in parts for crd in part.crds),
    )


class ConsumerStatus(Struct, frozen=True, eq=False):
    """One author's object on one spoke: its status there, and the objects to copy back with it."""

    workspace: str
    object: Ref
    spoke: str
    status: Any
    related: tuple[Ref, ...]


class Rendered(Struct, frozen=True, eq=False):
    """A rendered fleet: its tree, its findings, and the values that they are derived from."""

    tree: Tree
    results: tuple[Result, ...]
    hub: Hub
    topology: Topology
    sync: SyncList
    decision: Decision
    bundles: Mapping[str, Bundle]
    settings: Settings
    contribution: Contribution
    stages: tuple[Stage, ...] = ()
    rollout: RolloutState | None = None
    """The state of the rollout; None for a project without one, which renders all folders."""

    def holds(self, folder: str) -> bool:
        """Return whether a folder of the output must remain unchanged, as its wave is not done."""
        return self.rollout is not None and self.rollout.holds(folder)
