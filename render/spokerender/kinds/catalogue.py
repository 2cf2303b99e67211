"""All that is known of kinds in one project: the table, and the CRDs among the hub's files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Self

from msgspec import Struct, field
from msgspec.structs import replace

from spokerender.findings.suggest import did_you_mean
from spokerender.kinds import crds as definitions
from spokerender.kinds.configured import ConfiguredKind
from spokerender.kinds.kind import SECTION, Kind, NamespaceRule, ReferencePath, Role
from spokerender.kinds.rows import plural_of
from spokerender.kinds.table import ROWS
from spokerender.model import kind_name

_ASSUMED = tuple(
    ReferencePath(path, role, namespace=NamespaceRule.WRITTEN, section=SECTION, assumed=True)
    for path, role in (
        ("spec.targetRef", Role.TARGET),
        ("spec.targetRefs[]", Role.TARGET),
        ("spec.targetSelectors[]", Role.SELECTOR),
        ("spec.parentRefs[]", Role.PARENT),
    )
)
"""Where GEP-713 has policies keep their targets, and routes have their parents.

It is taken for granted of kinds that nobody knows.
"""


class Catalogue(Struct, frozen=True):
    """The kinds that are known, by group and kind. Made by `Catalogue.of`."""

    kinds: Mapping[tuple[str, str], Kind]
    configured: Mapping[tuple[str, str], ConfiguredKind] = field(default_factory=dict)
    spellings: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """The kinds by group and themselves, whatever their case."""

    @classmethod
    def of(
        cls, crds: Iterable[Mapping[str, Any]], configured: Iterable[ConfiguredKind] = ()
    ) -> Self:
        """The table, brought up to date by the CRDs (in any order).

        A CRD has the last word on plural, scope and versions. The references of a kind in the
        table, and what it may attach to, are those of its row, with those that only the CRD has.
        What is configured says how policies come together; a kind that only it speaks of stays
        unknown otherwise.
        """
        kinds = dict(ROWS)
        read = (kind for crd in crds if (kind := definitions.kind_of(crd)) is not None)
        for kind in sorted(read, key=lambda kind: (kind.plural, kind.versions), reverse=True):
            identity = (kind.group, kind.kind)
            kinds[identity] = _merged(ROWS[identity], kind) if identity in ROWS else kind
        said = {entry.identity: entry for entry in configured}
        for identity in said.keys() & kinds.keys():
            kinds[identity] = said[identity].applied(kinds[identity])
        spellings = {(group, kind.casefold()): kind for group, kind in kinds}
        return cls(kinds, said, spellings)

    def kind(self, group: str, kind: str) -> Kind:
        """What is known of the kind; of an unknown one, what GEP-713 lets us assume."""
        known = self.kinds.get((group, kind))
        if known is not None:
            return known
        assumed = Kind(group, kind, plural_of(kind), references=_ASSUMED)
        said = self.configured.get((group, kind))
        return assumed if said is None else said.applied(assumed)

    def known(self, group: str, kind: str) -> bool:
        """Whether the table or a CRD has the kind."""
        return (group, kind) in self.kinds

    def assumed(self, group: str, kind: str) -> bool:
        """Whether what `kind` says of it is an assumption, which has to be told."""
        return not self.known(group, kind)

    def spelt(self, group: str, kind: str) -> str:
        """How a known kind is written whose case is another; empty for one that is known so."""
        if self.known(group, kind):
            return ""
        return self.spellings.get((group, kind.casefold()), "")

    def kinds_of(self, group: str) -> tuple[str, ...]:
        """The kinds of a group that are known, by name."""
        return tuple(kind for known, kind in self.kinds if known == group)

    def by_resource(self, group: str, resource: str) -> Kind | None:
        """The kind of a resource such as `authpolicies`, as a GVR names it."""
        named = (kind for kind in self.kinds.values() if kind.group == group)
        return next((kind for kind in named if kind.plural == resource), None)

    def served(self, group: str, kind: str) -> tuple[str, ...]:
        """The versions of the kind, the preferred one first; empty if nobody knows them."""
        return self.kind(group, kind).versions

    def suggest(self, group: str, name: str) -> str:
        """A sentence that names the nearest known kind or resource; empty if none is near."""
        wanted = kind_name(group, name)
        kinds = {kind_name(kind.group, kind.kind): kind for kind in self.kinds.values()}
        plurals = {kind_name(kind.group, kind.plural): kind for kind in kinds.values()}
        namesakes = [
            word
            for word in (*kinds, *plurals)
            if word.partition(".")[0].casefold() == name.casefold()
        ]
        if namesakes:
            return did_you_mean(wanted, namesakes, "known are")
        return did_you_mean(wanted, plurals if name.islower() else kinds)


def _merged(row: Kind, crd: Kind) -> Kind:
    paths = {rule.path for rule in row.references}
    added = tuple(
        rule
        for rule in crd.references
        if rule.path not in paths and rule.role is not Role.BACKEND  # what it needs is in the row
    )
    return replace(
        row,
        plural=crd.plural,
        versions=crd.versions or row.versions,
        namespaced=crd.namespaced,
        references=(*row.references, *added),
        targets=tuple(dict.fromkeys((*row.targets, *crd.targets))) if row.targets else (),
    )
