"""The objects that a change adds, deletes or edits on equal spokes, and causes among them."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Any

from msgspec.structs import replace

from spokerender.findings.codes import review as codes
from spokerender.findings.results import ERROR
from spokerender.formats.comparing import ABSENT, Change, Steps, fingerprint
from spokerender.judging.attachment.statuses import Truth
from spokerender.judging.effective.outcomes import Reason
from spokerender.judging.judgement import Judgement
from spokerender.kinds.reference import GRANT
from spokerender.model import GATEWAY_CLASS, NAMESPACE, SECRET, Origin, Ref, grouped
from spokerender.model.memo import memoised
from spokerender.model.shapes import Json
from spokerender.rendering.values.provenance import History
from spokerender.rendering.values.rendered import Rendered
from spokerender.review.comparison.successors import Successors
from spokerender.review.comparison.views import SpokeView, Way, is_same, list_fields
from spokerender.review.meaning.drafts import Cause, Draft
from spokerender.review.values import Topic
from spokerender.topology.node import PARENTS
from spokerender.topology.paths import Levels
from spokerender.topology.requests import find_filters_of_backends

_SILENT = frozenset({NAMESPACE, SECRET})


class ObjectChanges:
    """The objects that differ between two states, as causes of consequences."""

    def __init__(self, successors: Successors, rendered: Rendered) -> None:
        """Start with the views of equal spokes before and after the change."""
        self._successors, self._rendered = successors, rendered
        self._old, self._new = successors.old, successors.new

    @cached_property
    def gone(self) -> tuple[Ref, ...]:
        """The deleted objects; renamed ones only if deletions of the kind need acknowledgement."""
        renamed = self._successors.renamed
        return tuple(
            sorted(
                ref
                for ref in self._old.variants
                if ref not in self._new.variants
                and (ref not in renamed or self._new.kind((ref.group, ref.kind)).guarded)
            )
        )

    @cached_property
    def added(self) -> frozenset[Ref]:
        """The new objects, without renamed ones."""
        names = set(self._successors.renamed.values())
        return frozenset(self._new.variants.keys() - self._old.variants.keys() - names)

    @cached_property
    def altered(self) -> Mapping[Ref, Ref]:
        """The changed objects: old names by new names."""
        pairs: dict[Ref, Ref] = {}
        for ref in self._old.variants:
            name = self._successors.name(ref)
            if name in self._new.variants:
                before, after = self._old.object_of(ref), self._new.object_of(name)
                if not is_same(before, after):
                    pairs[name] = ref
        return pairs

    def fields(self, ref: Ref) -> tuple[Change, ...]:
        """Return the changed fields of an object; empty if it is unchanged."""
        was = self.altered.get(ref)
        if was is None:
            return ()
        return list_fields(self._old.object_of(was), self._new.object_of(ref))

    def cause(
        self, refs: Iterable[Ref], gone: Iterable[Ref] = (), field: tuple[Any, ...] = ()
    ) -> Cause:
        """Return the most likely cause: an object that is added, deleted or changed.

        `refs` are candidates by their new names, `gone` by their old names, the likeliest first.
        `field` is the path below `spec` of the changed value, if the cause is one of `refs`.
        """
        near = [ref.whole for ref in refs]
        first = next(self._list_candidates(near, [ref.whole for ref in gone]), None)
        if first is None:
            return self._unchanged(near)
        if first in self._new.variants:
            return self.of_changed(first, field if first in near else ())
        return self.of_gone(first)

    def _list_candidates(self, near: Sequence[Ref], gone: Sequence[Ref]) -> Iterator[Ref]:
        """Yield added, changed and deleted objects, the most likely cause first."""
        yield from (ref for ref in near if ref in self.altered or ref in self.added)
        old, new, name = self._old.variants, self._new.variants, self._successors.name
        yield from (ref for ref in gone if ref in old and name(ref) not in new)
        kinds = {(ref.group, ref.kind) for ref in near}
        yield from sorted(self._changed, key=lambda ref: (ref.group, ref.kind) not in kinds)
        yield from self.gone

    @cached_property
    def _changed(self) -> tuple[Ref, ...]:
        """The changed objects, then the new objects, each sorted by name."""
        return (*sorted(self.altered), *sorted(self.added))

    def cause_of_needed(self, ref: Ref, needing: Ref) -> Cause:
        """Return why an object that `needing` needs is missing or changed."""
        name = self._successors.name(ref)
        if name in self.altered or ref in self._old.variants:
            return self.cause((name,), (ref,))
        was, now = (view.shared.hub.get(ref) for view in (self._old, self._new))
        return Cause(ref, None) if was is not None and was != now else self.cause((needing,))

    def of_changed(self, ref: Ref, field: tuple[Any, ...]) -> Cause:
        """Return the cause for a changed object: the line of a changed field near `field`."""
        manifest = self._new.variants[ref].manifest
        fields = self.fields(ref)
        parts = (field[:end] for end in range(len(field), 0, -1))
        near = (item for part in parts for item in fields if _is_near(item.path, part))
        # Changes of `metadata` come last, and removed fields after changed ones.
        others = sorted(fields, key=lambda it: (it.path[:1] == ("metadata",), it.new is ABSENT))
        change = next(chain(near, others), None)
        line = self._find_line(ref, change.path) if change is not None else manifest.origin
        return Cause(manifest.ref, line, ref)

    @memoised
    def _find_line(self, ref: Ref, path: Steps) -> Origin:
        """Return the line that gives a field of an object its value after the change."""
        return (
            History(self._rendered, self._new.bundle, self._new.variants[ref]).source(path).origin
        )

    def of_gone(self, ref: Ref) -> Cause:
        """Return the cause for a deleted object, with its earlier line.

        If it was in no file, the line is that of an attached policy, or of an object above it.
        """
        manifest = self._old.variants[ref].manifest
        origin = manifest.origin
        if not origin.path:
            near = (
                *self.attached.get(ref, ()),
                *map(self._successors.name, self._old.targets(ref)),
            )
            variants = (self._new.variants.get(each) for each in near)
            lines = (variant.manifest.origin for variant in variants if variant is not None)
            origin = next((line for line in lines if line.path), origin)
        return Cause(manifest.ref, origin, ref)

    def _unchanged(self, near: Iterable[Ref]) -> Cause:
        for ref in near:
            if (variant := self._new.variants.get(ref)) is not None:
                return Cause(variant.manifest.ref, None, placed=ref)
        return Cause(next(iter(near), Ref("", "Spoke", "", "")), None)

    def drafts(self, needed: Collection[Ref]) -> Iterator[Draft]:
        """Yield a draft for each changed or deleted object with an unknown effect on requests.

        Changes of `needed` objects are reported for the paths that need them, not here.
        """
        for ref in (*self.gone, *self._changed):
            if ref not in needed and self._has_unknown_effect(ref):
                draft = self._draft_unknown(ref)
                for levels in self._list_asking(ref) or [()]:
                    yield replace(draft, levels=levels)

    @cached_property
    def unread(self) -> frozenset[Ref]:
        """The changed objects, without policies, of which no field is compared."""
        others = (ref for ref in self.altered if not self._is_policy(ref))
        return frozenset(filter(self._has_unknown_effect, others))

    def _is_policy(self, ref: Ref) -> bool:
        return self._new.kind((ref.group, ref.kind)).is_policy

    @cached_property
    def attached(self) -> Mapping[Ref, tuple[Ref, ...]]:
        """The security policies after the change, by the objects they are attached to."""
        policies = grouped(
            (link.ref.whole, ref)
            for ref in self._new.variants
            if self._new.kind((ref.group, ref.kind)).security
            for link in self._new.links(ref)
        )
        return {target: tuple(sorted({*refs})) for target, refs in policies.items()}

    def is_deletion_told(self, ref: Ref) -> bool:
        """Return whether the deletion is reported by another consequence, or has no effect."""
        is_security = self._new.kind((ref.group, ref.kind)).security
        return (
            self._has_unknown_effect(ref)
            or (self.is_compared_by_path(ref) and not is_security)
            or self._is_granted(ref, self._old, self._new)
        )

    def is_compared_by_path(self, ref: Ref) -> bool:
        """Return whether the effect of an object's deletion is compared path by path."""
        kind = self._new.kind((ref.group, ref.kind))
        node = self._old.nodes.get(ref)
        is_on_paths = node is not None and (node.is_route or bool(node.listeners))
        is_judged = kind.is_policy and kind.merged.is_known and ref not in self._beside[0]
        return is_judged or is_on_paths

    def _has_unknown_effect(self, ref: Ref) -> bool:
        kind = self._new.kind((ref.group, ref.kind))
        if kind.is_policy:
            is_read = kind.merged.is_known and not any(ref in refs for refs in self._beside)
            is_of_backend = ref in self.altered and ref in self._of_backends
            return (is_of_backend or not is_read) and self._differs_in_content(ref)
        group_kind = (ref.group, ref.kind)
        node = self._new.nodes.get(ref)
        is_compared = group_kind in PARENTS or (node is not None and node.is_route)
        if is_compared or kind.extends or group_kind in _SILENT or group_kind == GATEWAY_CLASS:
            return group_kind == GATEWAY_CLASS and self._differs_in_content(ref)
        if group_kind == GRANT:
            # Routes that need a removed grant are reported themselves.
            return ref not in self.gone and not self._is_granted(ref, self._new, self._old)
        return ref in self.altered and self._differs_in_content(ref)

    def _is_granted(self, ref: Ref, of: SpokeView, by: SpokeView) -> bool:
        """Return whether a ReferenceGrant in `by` permits all that the grant `ref` in `of` does."""
        node = of.nodes.get(ref)
        grant = node.grant if node is not None else None
        others = (other.grant for other in by.nodes.values())
        return grant is not None and any(it.covers(grant) for it in others if it is not None)

    @cached_property
    def _beside(self) -> tuple[frozenset[Ref], ...]:
        """The policies whose targets are on no path, before and after the change."""
        return tuple(
            frozenset((*view.fill(_list_beside(view.judgement)), *_list_on_declared(view)))
            for view in (self._old, self._new)
        )

    @cached_property
    def _of_backends(self) -> tuple[Ref, ...]:
        """The filters of backends; the table of kinds lacks their controllers."""
        return self._new.fill(find_filters_of_backends(self._new.topology))

    def _list_asking(self, ref: Ref) -> list[Levels]:
        """Return the paths of policies that need a target of the policy `ref`, by new names.

        Such a target may be a service that authorizes requests.
        """
        view = self._new if ref in self._new.variants else self._old
        asking = view.fill(_list_asking(view.judgement)).get(ref, ())
        paths = (levels for policy in asking for levels in view.find_paths(policy))
        name = self._successors.levels
        return [levels if view is self._new else name(levels) for levels in dict.fromkeys(paths)]

    def _differs_in_content(self, ref: Ref) -> bool:
        fields = self.fields(ref)
        return ref not in self.altered or any(item.path[:1] != ("metadata",) for item in fields)

    def _draft_unknown(self, ref: Ref) -> Draft:
        if ref in self.gone:
            verb, cause = "is deleted", self.of_gone(ref)
        else:
            verb = "is new" if ref in self.added else "changes"
            cause = self.cause((ref,))
        return Draft(
            kind=codes.EFFECT_NOT_KNOWN,
            topic=Topic.OBJECTS,
            message=f"{ref} {verb}; its effect on requests is not known",
            cause=cause,
            cure="read the change; its target may be the spoke's own, or spec.policyKinds in "
            "fleet.yaml may declare how policies of its kind are merged",
            policies=(ref,) if self._is_policy(ref) else (),
            severity=ERROR if self._turns_away(ref) else None,
        )

    def _turns_away(self, ref: Ref) -> bool:
        """Return whether a security policy without selectors no longer has one of its targets."""
        if ref not in self.altered or not self._new.kind((ref.group, ref.kind)).security:
            return False
        was = map(self._successors.name, self._old.targets(self.altered[ref]))
        links = self._new.nodes[ref].references
        return all(link.ref.name for link in links) and not {*was} <= {*self._new.targets(ref)}


Readers = tuple[Callable[[Json], object], Callable[[Json], object]]
"""Functions that convert a field before and after a change, so that equal values compare equal."""
AS_WRITTEN: Readers = (lambda value: value, lambda value: value)


class ViewComparison:
    """A comparison of two views, with access to possible causes."""

    def __init__(self, successors: Successors, objects: ObjectChanges) -> None:
        self._successors = successors
        self._old, self._new = successors.old, successors.new
        self._objects = objects

    def _cause_of_rule(self, way: Way) -> Cause:
        """Return the cause for a rule: its change, or another change of its route."""
        route, names = way.levels[-2], [*self._new.matches(way.levels[-2])]
        return self._objects.cause((route,), (), ("rules", names.index(way.path.rule)))

    def _says_same(
        self, place: tuple[Ref, str, str], was: Json, now: Json, reads: Readers = AS_WRITTEN
    ) -> bool:
        """Return whether `reads` return equal results after an API server's defaulting.

        `place` is the object, the name of a list in its `spec`, and the name of a field in its
        entries; with an empty list name, of a field in `spec` itself.
        """
        texts = [fingerprint(read(side)) for read, side in zip(reads, (was, now), strict=True)]
        if texts[0] == texts[1]:
            return True
        # Start-up counts: the CRD is read only where something differs.
        from spokerender.judging.validation.defaults import fill_defaults  # noqa: PLC0415

        (ref, items, field), stored = place, list[Json]()
        for value in (was, now):
            entry: Json = {} if value is ABSENT else {field: value}
            written = {items: [entry]} if items else entry
            spec = fill_defaults(self._new.kind((ref.group, ref.kind)), written, sorts=True)
            stored.append((spec[items][0] if items else spec).get(field, ABSENT))
        return fingerprint(reads[0](stored[0])) == fingerprint(reads[1](stored[1]))


@memoised
def _list_beside(judgement: Judgement) -> tuple[Ref, ...]:
    on_paths = _list_on_paths(judgement)
    attachments = judgement.attachments.items()
    unknown = (ref for ref, item in attachments if item.accepted.status is Truth.UNKNOWN)
    return (*(ref for ref in unknown if ref not in on_paths), *_list_asking(judgement))


@memoised
def _list_asking(judgement: Judgement) -> Mapping[Ref, tuple[Ref, ...]]:
    """Return, for each policy, the other policies that need a target of the policy."""
    asking = grouped(
        (link.ref.whole, ref)
        for ref in judgement.attachments
        for link in judgement.topology.nodes[ref].needs
    )
    return {
        ref: others
        for ref, item in (judgement.attachments.items() if asking else ())
        if (others := tuple(one for t in item.targets for one in asking.get(t.whole, ())))
    }


def _list_on_declared(view: SpokeView) -> Iterator[Ref]:
    """Yield the policies on no path with a target that fleet.yaml declares as external."""
    external, nodes = view.shared.external, view.topology.nodes
    if external.entries:
        on_paths = _list_on_paths(view.judgement)
        for ref, item in view.judgement.attachments.items():
            targets = (target.whole for target in item.targets)
            if ref not in on_paths and any(t not in nodes and t in external for t in targets):
                yield view.fill(ref)


@memoised
def _list_on_paths(judgement: Judgement) -> frozenset[Ref]:
    programmed = judgement.programmed.items()
    return frozenset(ref for (ref, _), item in programmed if item.reason is not Reason.UNKNOWN)


def _is_near(path: tuple[Any, ...], field: tuple[Any, ...]) -> bool:
    """Return whether one path begins with the other, without `spec`, `defaults`, `overrides`."""
    own = [str(step) for step in path if step not in ("spec", "defaults", "overrides")]
    place = [str(step) for step in field]
    return all(a == b for a, b in zip(own, place, strict=False)) and bool(own)
