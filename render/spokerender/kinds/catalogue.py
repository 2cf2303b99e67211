"""The kinds that a project knows: from the table, the CRDs in its files, and its configuration."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Protocol, Self

from msgspec import Struct, field
from msgspec.structs import replace

from spokerender.findings.phrasing import did_you_mean
from spokerender.kinds.crds import read_crd_kind
from spokerender.kinds.kind import Kind, ReferencePath, Role, Sections
from spokerender.kinds.marks import NO_MARKS, Marks
from spokerender.kinds.merging import Merging
from spokerender.kinds.rows import ASSUMED
from spokerender.kinds.table import all_rows, find_row, group_rows
from spokerender.model.refs import kind_name


class ConfiguredKind(Struct, frozen=True):
    """An entry of `policyKinds` in fleet.yaml: how policies of a kind are merged.

    A field that is None leaves the value of the table of kinds or the CRD unchanged. If `within`, a
    route's hostname has to be within the listener's.
    """

    group: str
    kind: str
    merging: Merging
    security: bool | None = None
    targets: tuple[str, ...] | None = None
    sections: Sections | None = None
    within: bool | None = None
    references: tuple[ReferencePath, ...] = ()
    """The fields with targets, which replace the fields that are assumed for an unknown kind."""

    @property
    def identities(self) -> tuple[tuple[str, str], ...]:
        """Return the kind that the entry is about, by group and kind."""
        return ((self.group, self.kind),)

    def amend(self, kind: Kind) -> Kind:
        """Return the kind with the configured fields.

        Facts about the controller, and the field by which a policy requests a merge
        (`merging.asking`), are unchanged: fleet.yaml can't configure these.
        """
        controller = replace(
            kind.controller,
            sections=kind.controller.sections if self.sections is None else self.sections,
            within=kind.controller.within if self.within is None else self.within,
        )
        return replace(
            kind,
            controller=controller,
            merging=replace(self.merging, asking=kind.merged.asking),
            is_configured=True,
            security=kind.security if self.security is None else self.security,
            targets=kind.targets if self.targets is None else self.targets,
            references=self._declare(kind.references),
        )

    def _declare(self, rules: tuple[ReferencePath, ...]) -> tuple[ReferencePath, ...]:
        paths = {rule.path for rule in self.references}
        others = (rule for rule in rules if rule.path not in paths)
        return (*(rule for rule in others if not (paths and rule.assumed)), *self.references)


class KindAmendment(Protocol):
    """An entry of fleet.yaml about kinds: how policies merge, or how their controller is set up."""

    @property
    def identities(self) -> tuple[tuple[str, str], ...]:
        """Return the kinds that the entry is about, by group and kind."""

    def amend(self, kind: Kind) -> Kind:
        """Return a kind with the entry applied."""


class Catalogue(Struct, frozen=True):
    """The known kinds of a project, made by `Catalogue.of`.

    `amended` are the kinds about which a CRD or fleet.yaml says more than the table, by group and
    kind; the other known kinds are rows of the table, which are read when they are asked for.
    """

    amended: Mapping[tuple[str, str], Kind]
    configured: Mapping[tuple[str, str], KindAmendment] = field(default_factory=dict)
    marks: Marks = NO_MARKS
    """The annotations and labels that delivery engines (such as Argo CD) write or obey."""

    @classmethod
    def of(
        cls,
        crds: Iterable[Mapping[str, Any]],
        configured: Iterable[KindAmendment] = (),
        marks: Marks = NO_MARKS,
    ) -> Self:
        """Return a catalogue of the table, CRDs (in any order) and the entries of fleet.yaml.

        A CRD decides plural, scope and versions. A kind of the table keeps the references and
        targets of its row, and gets further ones from its CRD. A configured kind without row and
        CRD remains unknown, except for what is configured.
        """
        amended: dict[tuple[str, str], Kind] = {}
        kinds = filter(None, map(read_crd_kind, crds))
        # If two CRDs define one kind, the same one counts whatever the order of the files.
        for kind in sorted(kinds, key=lambda kind: (kind.plural, kind.versions), reverse=True):
            row = find_row(kind.group, kind.kind)
            amended[kind.group, kind.kind] = kind if row is None else _merge(row, kind)
        by_identity: dict[tuple[str, str], KindAmendment] = {}
        for entry in configured:
            for identity in entry.identities:
                by_identity[identity] = entry
                # A later entry amends what an earlier one made: both may be about a kind.
                row = amended.get(identity) or find_row(*identity)
                if row is not None:
                    amended[identity] = entry.amend(row)
        return cls(amended, by_identity, marks)

    def _find(self, group: str, kind: str) -> Kind | None:
        return self.amended.get((group, kind)) or find_row(group, kind)

    def _of_group(self, group: str) -> Iterator[Kind]:
        """Yield the known kinds of a group: those of the table, then those with only a CRD."""
        kinds = {**group_rows(group), **self.amended}
        return (kind for kind in kinds.values() if kind.group == group)

    def kind(self, group: str, kind: str) -> Kind:
        """Return the facts about a kind; of an unknown kind, those that GEP-713 lets assume."""
        row = self._find(group, kind)
        if row is not None:
            return row
        assumed = Kind(group, kind, references=ASSUMED)
        entry = self.configured.get((group, kind))
        return assumed if entry is None else entry.amend(assumed)

    def known(self, group: str, kind: str) -> bool:
        """Return whether the table or a CRD has the kind, so that `kind` assumes nothing."""
        return self._find(group, kind) is not None

    def spelt(self, group: str, kind: str) -> str:
        """Return the known kind that differs from `kind` in case only; empty if there is none."""
        if self.known(group, kind):
            return ""
        name = kind.casefold()
        return next((k.kind for k in self._of_group(group) if k.kind.casefold() == name), "")

    def kinds_of(self, group: str) -> tuple[str, ...]:
        """Return the names of the known kinds of a group."""
        return tuple(kind.kind for kind in self._of_group(group))

    def serves(self, group: str, kind: str, version: str) -> bool:
        """Return whether a known kind has a version, or no versions of the kind are known."""
        row = self._find(group, kind)
        return row is not None and (not row.versions or version in row.versions)

    def all_kinds(self) -> Mapping[tuple[str, str], Kind]:
        """Return all known kinds by group and kind; this reads the whole table."""
        return {**all_rows(), **self.amended}

    def by_resource(self, group: str, resource: str) -> Kind | None:
        """Return the kind whose resource (plural) is `resource`, as `authpolicies` in a GVR."""
        return next((kind for kind in self._of_group(group) if kind.plural == resource), None)

    def suggest(self, group: str, name: str) -> str:
        """Return a sentence that names the nearest known kind or resource, or an empty text."""
        full_name = kind_name(group, name)
        kinds = {kind_name(kind.group, kind.kind): kind for kind in self.all_kinds().values()}
        plurals = {kind_name(kind.group, kind.plural): kind for kind in kinds.values()}
        namesakes = [
            word
            for word in (*kinds, *plurals)
            if word.partition(".")[0].casefold() == name.casefold()
        ]
        # A kind of this name in another group is more likely than one of a similar name in this.
        if namesakes:
            return did_you_mean(full_name, namesakes, "known are")
        return did_you_mean(full_name, plurals if name.islower() else kinds)


def _merge(row: Kind, crd: Kind) -> Kind:
    paths = {rule.path for rule in row.references}
    added = tuple(
        rule
        for rule in crd.references
        # What it needs is in the row, and a field that is only assumed would be, too.
        if not (rule.path in paths or rule.role is Role.BACKEND or rule.assumed)
    )
    return replace(
        row,
        plural=crd.plural,
        versions=crd.versions or row.versions,
        namespaced=crd.namespaced,
        references=(*row.references, *added),
        targets=tuple(dict.fromkeys((*row.targets, *crd.targets))) if row.targets else (),
    )
