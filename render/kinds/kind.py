"""What a row of the table of kinds says; the table itself is `render.kinds.table`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

SECTION = "sectionName"
SECTIONS = "sectionNames"


class Role(StrEnum):
    """What an object does to the thing that it names."""

    TARGET = "target"
    """It attaches to it (`targetRef`); where it can't name a namespace, it moves along."""
    PARENT = "parent"
    """It is a child of it (`parentRefs`): it stays where it is and names the namespace."""
    SELECTOR = "selector"
    """It attaches to whatever has certain labels (`targetSelectors`)."""
    LABEL = "label"
    """It selects what a Gateway generates, by a label that has the Gateway's name."""
    BACKEND = "backend"
    """A route sends requests to it."""


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
    `Role.LABEL` it leads to a mapping of labels, or to each of `matchExpressions`. The default
    group and kind are those of the CRD; where it has none, an absent group is the core group.
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


@dataclass(frozen=True, slots=True)
class Kind:
    """A row: all that is special about a kind.

    `versions` are those served, the preferred one first. `security` is set where the removal of
    an object may open a door. `annotations` are set on every synced copy.
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

    @property
    def is_policy(self) -> bool:
        """Whether its objects attach to others, or guard what a Gateway generates."""
        attaches = any(rule.role in (Role.TARGET, Role.SELECTOR) for rule in self.references)
        return attaches or self.security
