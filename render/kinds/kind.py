"""What a row of the table of kinds says; the table itself is `render.kinds.table`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from render.kinds.traits import NO_TRAITS, Traits

SECTION = "sectionName"
SECTIONS = "sectionNames"
ROUTE = "Route"
"""What the name of every kind of route ends with (Gateway API)."""


class Role(StrEnum):
    """How an object names another one, and which relations that makes of the two."""

    TARGET = "target"
    """It is for it (`targetRef`); where it can't name a namespace, it moves along."""
    PARENT = "parent"
    """It is a child of it (`parentRefs`): it stays where it is and names the namespace."""
    SELECTOR = "selector"
    """It is for whatever has certain labels (`targetSelectors`)."""
    LABEL = "label"
    """It is for what a Gateway generates, and selects that by a label with the Gateway's name."""
    PEER = "peer"
    """It lets what a Gateway generates through, and is about something else (NetworkPolicy)."""
    BACKEND = "backend"
    """A route sends requests to it; another route may be a backend as well (kgateway)."""
    FILTER = "filter"
    """A route's rule has it work on its requests (`ExtensionRef`)."""

    @property
    def ships(self) -> bool:
        """Whether an object is of use only on a cluster that has what it names so."""
        return self in _SHIPS

    @property
    def moves(self) -> bool:
        """Whether an object has to be in one namespace with what it names so, if that is local."""
        return self in _MOVES

    @property
    def guards(self) -> bool:
        """Whether it attaches to what it names so: a policy protects it, a route is on it."""
        return self in _GUARDS

    @property
    def carries(self) -> bool:
        """Whether it is the other way round: what is named so attaches to the one that names it."""
        return self in _CARRIES


_SHIPS = frozenset({Role.TARGET, Role.PARENT, Role.SELECTOR, Role.LABEL, Role.PEER})
_MOVES = frozenset({Role.TARGET, Role.SELECTOR, Role.LABEL})
_GUARDS = frozenset({Role.TARGET, Role.PARENT, Role.SELECTOR, Role.LABEL})
_CARRIES = frozenset({Role.BACKEND, Role.FILTER})


class NamespaceRule(StrEnum):
    """What a reference can say about the namespace of what it names."""

    NONE = "none"
    """There is no such field: only the object's own namespace can be meant."""
    EMPTY = "empty"
    """There is the field, but it has to be empty (Istio)."""
    OWN = "own"
    """There is the field, but only the object's own namespace is sure to work (AWS)."""
    ANY = "any"
    """Any namespace; the object's own where the field is absent."""
    WRITTEN = "written"
    """Nobody knows whether there is the field: kept where it is written, never added."""


@dataclass(frozen=True, slots=True)
class ReferencePath:
    """One place where objects of a kind name others.

    `path` is a pattern (`render.kinds.paths`) that leads to the mapping with `name`; for
    `Role.LABEL` and `Role.PEER` it leads to a mapping of labels, or to each of
    `matchExpressions`. The default group and kind are those of the CRD; where it has none, an
    absent group is the core group.
    `section` is `SECTION`, `SECTIONS` (a list) or empty. `unique` is set where the CRD refuses
    a target twice, unless by different sections (or ports). `assumed` marks the guesses about
    a kind that nobody knows: they take only what spells out group and kind.
    """

    path: str
    role: Role
    default_group: str = ""
    default_kind: str = ""
    namespace: NamespaceRule = NamespaceRule.NONE
    section: str = ""
    unique: bool = False
    max_items: int | None = None
    assumed: bool = False


@dataclass(frozen=True, slots=True)
class Need:
    """One place where objects of a kind name something that the spoke must have besides.

    `path` is a pattern that leads to the mapping that names it under the key `name`, or, with
    `selects`, to a label selector. The other keys are empty where there is no such field.
    `labels` stand for a selector that a controller uses on its own account, at `path`, when
    nothing is set at any of `unless`. `elsewhere` says in which namespace it is looked for when
    that is not the object's own.
    """

    path: str
    kind: str = "Secret"
    group: str = ""
    name: str = "name"
    group_key: str = ""
    kind_key: str = ""
    namespace_key: str = ""
    selects: bool = False
    labels: tuple[tuple[str, str], ...] = ()
    unless: tuple[str, ...] = ()
    elsewhere: str = ""


class Process(StrEnum):
    """How the policies of one kind come together where several are on one path."""

    NONE = "none"
    """Nothing is merged: on one target one policy holds, a section's before the whole's."""
    ALL = "all"
    """Nothing is merged and nothing gives way: all of them are in force, side by side (Istio)."""
    GEP_713 = "gep-713"
    """GEP-713, abstract process: from the top down, each step by the higher one's strategy."""
    KUADRANT = "kuadrant"
    """kuadrant-operator: from the bottom up, each step by the higher one's strategy."""
    SINGLE = "single-policy-per-route"
    """Kuadrant's RFC of that name: fields of `default` and `override`, in one policy both."""


class Merge(StrEnum):
    """What a step of a process does with two policies (GEP-713, merge strategies)."""

    ATOMIC = "atomic"
    """One of the two, whole."""
    PATCH = "patch"
    """JSON merge patch (RFC 7386), field by field."""
    MERGE = "merge"
    """Both, rule by rule; a rule is never split (kuadrant-operator's own strategy)."""


class Ties(StrEnum):
    """What a controller does with policies of one age on one target."""

    ALPHABETICAL = "alphabetical"
    """The first by `namespace/name` is the established one (GEP-713)."""
    UNBROKEN = "unbroken"
    """None gives way: all of them are carried out, whatever that comes to."""


@dataclass(frozen=True, slots=True)
class Merging:
    """How policies of a kind come together, and what a rule of theirs is.

    `rules` are patterns (`render.kinds.paths`) below the spec proper, which is the whole of
    `spec`, or of `defaults` or `overrides` in it. What a pattern's last wildcard stands for is the
    rule's name. None of them: every field of the spec proper is one. A policy without anything
    at `substance` is empty, and gives way (empty: without any rule). `condition` is the rule that
    gates all others. `default` is the strategy of a policy that names none. `within` is set
    where a route's hostname has to be within the listener's, and not just to meet it.
    `listener_sets` is not set where the controller doesn't know ListenerSets. With `one_each` a
    second policy on one target is refused as Conflicted, though policies on levels above and
    below come together; without a process (`NONE`) it is refused anyway.
    `merge_types` are values of `mergeType` with which a policy asks to be merged into the closest
    one above it, each with what that comes to (Envoy Gateway); only `GEP_713` reads them.
    """

    process: Process = Process.NONE
    rules: tuple[str, ...] = ()
    substance: str = ""
    condition: str = ""
    default: Merge = Merge.ATOMIC
    ties: Ties = Ties.ALPHABETICAL
    within: bool = False
    listener_sets: bool = True
    one_each: bool = False
    merge_types: tuple[tuple[str, Merge], ...] = ()


@dataclass(frozen=True, slots=True)
class Kind:
    """A row: all that is special about a kind.

    `versions` are those served, the preferred one first. `security` is set where the removal of
    an object may open a door. `annotations` are set on every synced copy. `merging` is None where
    nobody said how its policies come together. `targets` are the kinds that it may attach to,
    empty where that is not known. `alternatives` are fields of `spec` of which one policy has at
    most one. `targetless` is set where a policy without a target means everything in reach.
    `traits` are what advice is given about.
    """

    group: str
    kind: str
    plural: str
    versions: tuple[str, ...] = ()
    namespaced: bool = True
    references: tuple[ReferencePath, ...] = ()
    needs: tuple[Need, ...] = ()
    security: bool = False
    annotations: tuple[tuple[str, str], ...] = ()
    is_route: bool = False
    merging: Merging | None = None
    targets: tuple[str, ...] = ()
    alternatives: tuple[tuple[str, ...], ...] = ()
    targetless: bool = False
    traits: Traits = NO_TRAITS

    @property
    def merged(self) -> Merging:
        """How its policies come together; of a kind that says nothing, what GEP-713 has them do.

        With one kind of target: not at all. With several: atomic defaults (GEP-713, strategies).
        """
        if self.merging is not None:
            return self.merging
        return Merging(Process.NONE if len(self.targets) == 1 else Process.GEP_713)

    @property
    def routes(self) -> tuple[str, ...]:
        """The kinds of route that it may attach to; none where it can't, or nobody knows."""
        return tuple(name for name in self.targets if name.endswith(ROUTE))

    @property
    def is_policy(self) -> bool:
        """Whether its objects attach to others, or guard what a Gateway generates."""
        attaches = any(rule.role in (Role.TARGET, Role.SELECTOR) for rule in self.references)
        return attaches or self.security
