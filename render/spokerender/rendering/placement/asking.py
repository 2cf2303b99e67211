"""The interface of hub sources, which decide placements from the objects of a hub."""

from collections.abc import Callable, Mapping

from msgspec import Struct

from spokerender.findings.results import Result
from spokerender.model import Manifest, Ref
from spokerender.model.refs import OCM
from spokerender.rendering.placement.source import LOCK_FILE
from spokerender.rendering.values import decisions


def placement_ref(key: str) -> Ref:
    """Return the identity of a Placement; `key` is its namespace and name."""
    namespace, _, name = key.partition("/")
    return Ref(OCM, "Placement", namespace, name)


class HubObjects(Struct, frozen=True, eq=False, dict=True):
    """The objects of a hub; if `honours_liveness`, taints that OCM itself sets count, too."""

    manifests: tuple[Manifest, ...]
    honours_liveness: bool = False


class HubSettings(Struct, frozen=True, eq=False):
    """The settings for decisions of the hub: of fleet.yaml, the command, and the lock file.

    `lock` is the content of the lock file, None if there is none; `lock_path` is shown in messages.
    `also` are the keys of Placements to decide even if no Gateway follows them. `folders` are the
    names of the spokes' folders on disk; if it is empty, spokes are not compared with them.
    """

    lock_path: str = LOCK_FILE
    lock: bytes | None = None
    options: decisions.DecisionOptions = decisions.DecisionOptions()
    decides_always: bool = False
    honours_liveness: bool = False
    also: tuple[str, ...] = ()
    folders: frozenset[str] = frozenset()


class HubQuestion(Struct, frozen=True, eq=False):
    """The objects of a hub, the settings for its decisions, and the last decisions (`lock`).

    `used` are the keys of the Placements that Gateways follow; `before` has the decisions of
    sources that were asked earlier. `spokes` are the names that our own files declare.
    """

    objects: HubObjects
    settings: HubSettings
    lock: decisions.PlacementLock
    used: frozenset[str] = frozenset()
    spokes: frozenset[str] = frozenset()
    before: Mapping[str, decisions.DecidedPlacement] = {}


class HubAnswer(Struct, frozen=True, eq=False):
    """The decisions of one source, the clusters that it knows, and its findings.

    `checked` are findings of `check` only. If `is_timed`, the decisions may depend on the time in
    the lock. `computed` are the keys of decisions that depend on history: the lock keeps them even
    if no Gateway follows them.
    """

    placements: Mapping[str, decisions.DecidedPlacement] = {}
    clusters: Mapping[str, decisions.HubCluster] = {}
    results: tuple[Result, ...] = ()
    checked: tuple[Result, ...] = ()
    changes: tuple[decisions.PlacementChange, ...] = ()
    is_timed: bool = False
    computed: frozenset[str] = frozenset()


class HubSource(Struct, frozen=True):
    """A source of decisions, which is asked if a hub has an object of its kind."""

    group: str
    kind: str
    ask: Callable[[HubQuestion], HubAnswer]
