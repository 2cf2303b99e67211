"""Everything in which exported spokes are not what was expected, as findings."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from spokerender.explain.observed.drift import Drifted, DriftFinder
from spokerender.explain.observed.schemas import ObservedSchemas
from spokerender.explain.observed.snapshots import LiveObject, Snapshot
from spokerender.explain.observed.statuses import find_unexpected, join_statuses, observe_policy
from spokerender.explain.observed.values import (
    ObservedCondition,
    ObservedSpoke,
    ObservedStatus,
    PolicyAncestor,
)
from spokerender.explain.values import PolicyStatus
from spokerender.findings.codes.observed import (
    DRIFT,
    LEFTOVER_OBJECT,
    MISSING_OBJECT,
    NOT_OBSERVED,
    OTHER_CONDITION,
)
from spokerender.findings.occurrences import Occurrence, merge_occurrences
from spokerender.findings.phrasing import count, describe
from spokerender.findings.results import Result
from spokerender.formats.comparing import ABSENT
from spokerender.judging.attachment.statuses import Truth
from spokerender.kinds.catalogue import Catalogue
from spokerender.kinds.kind import Kind
from spokerender.kinds.owned import without_owned
from spokerender.model import Ref, shown
from spokerender.model.shapes import as_mapping
from spokerender.rendering.values.bundles import Bundle, Filler, Variant

_FLUX = "kustomize.toolkit.fluxcd.io/name"
_ARGO = "argocd.argoproj.io/tracking-id"
_SHOWN = 60
_SEE = "see why on the cluster; spokerender status --spoke says what is expected"


class ObservedFleet(Struct, frozen=True, eq=False):
    """The exports beside what is expected: conditions of policies, and the findings."""

    statuses: tuple[ObservedStatus, ...]
    results: tuple[Result, ...]


def join_spokes(spokes: Iterable[ObservedSpoke]) -> ObservedFleet:
    """Join equal conditions and findings of spokes, each of which is looked at once."""
    occurrences: list[Occurrence] = []

    def noted() -> Iterator[ObservedSpoke]:
        for spoke in spokes:
            occurrences.extend(Occurrence(result, (spoke.name,)) for result in spoke.results)
            yield spoke

    statuses = join_statuses(noted())
    return ObservedFleet(statuses, merge_occurrences(occurrences))


class Observer:
    """Holds exports of spokes against what is expected, one spoke after the other."""

    def __init__(
        self,
        expected: Sequence[PolicyStatus],
        catalogue: Catalogue,
        schemas: ObservedSchemas,
        *,
        full: bool,
    ) -> None:
        """Start.

        Args:
            expected: the statuses of policies, each with its spokes.
            catalogue: the kinds.
            schemas: the schemas of the kinds.
            full: whether fields that only a cluster has are drift, too.

        """
        self._expected: dict[str, list[PolicyStatus]] = {}
        for status in expected:
            for spoke in status.spokes:
                self._expected.setdefault(spoke, []).append(status)
        self._catalogue = catalogue
        self._filler = Filler()
        self._finder = DriftFinder(schemas, full=full)

    def observe(self, bundle: Bundle, snapshot: Snapshot | None) -> ObservedSpoke:
        """Compare a spoke with its export, if there is one.

        Args:
            bundle: what the spoke has; one that waits has what its folder has.
            snapshot: the export.

        """
        on_hub = _identities(bundle)
        conditions = tuple(
            item
            for status in self._expected.get(bundle.spoke.name, ())
            for item in observe_policy(status, snapshot, self._kind(status.policy), on_hub)
        )
        results = list(_condition_findings(conditions))
        for status in self._expected.get(bundle.spoke.name, ()):
            for ancestor in find_unexpected(status, snapshot, on_hub):
                message = f"Accepted is True for {ancestor}, and it was not expected to hold there"
                result = OTHER_CONDITION.result(message, cure=_SEE)
                results.append(replace(result, resource=status.hub, origin=status.origin))
        if snapshot is not None:
            results += self._object_findings(bundle, snapshot)
        kinds = snapshot.kinds if snapshot is not None else frozenset()
        variants = bundle.blueprint.variants
        is_whole = all((item.ref.group, item.ref.kind) in kinds for item in variants)
        return ObservedSpoke(bundle.spoke.name, conditions, tuple(results), is_whole)

    def _object_findings(self, bundle: Bundle, snapshot: Snapshot) -> Iterator[Result]:
        variants = {bundle.ref(variant.ref): variant for variant in bundle.blueprint.variants}
        for ref, variant in variants.items():
            for result in self._compare_object(bundle, snapshot, ref, variant):
                place = variant.manifest
                yield replace(result, resource=place.ref, origin=place.origin)
        for ref, live in snapshot.objects.items():
            sign = _sign(live, self._kind(ref).annotations, bundle.spoke.name)
            if ref not in variants and sign:
                message = f"it is on the cluster, with {sign}, and not in the tree"
                cure = "delete it there, if the engine does not; until then it is in force"
                yield LEFTOVER_OBJECT.result(message, cure=cure, resource=ref)

    def _compare_object(
        self, bundle: Bundle, snapshot: Snapshot, ref: Ref, variant: Variant
    ) -> Iterator[Result]:
        live = snapshot.objects.get(ref)
        going = as_mapping(live.get("metadata")).get("deletionTimestamp") if live else None
        if going:
            message = f"{ref} is in the tree, and the cluster has been deleting it since {going}"
            cure = "see what its finalizers wait for; the engine applies the tree once it is gone"
            yield MISSING_OBJECT.result(message, cure=cure)
        elif live is not None:
            kind = self._kind(ref)
            portable = without_owned(dict(live), kind.owned, self._catalogue.marks)
            expected = self._filler.fill(variant.object, bundle)
            for item in self._finder.find(expected, portable, ref, bundle.spoke):
                yield DRIFT.result(_describe(item), cure=_CURE, field=shown(item.path))
        elif (ref.group, ref.kind) not in snapshot.kinds:
            message = f"{ref} is in the tree, and no object of its kind is in the export"
            yield NOT_OBSERVED.result(message, cure="export its kind as well")
        elif ref not in snapshot.reported:
            message = f"{ref} is in the tree, and not in the export"
            yield MISSING_OBJECT.result(message, cure="see whether the engine has applied the tree")

    def _kind(self, ref: Ref) -> Kind:
        return self._catalogue.kind(ref.group, ref.kind)


def _identities(bundle: Bundle) -> dict[Ref, Ref]:
    """Return the identity on the hub of each object and Gateway of a spoke."""
    objects = {bundle.ref(item.ref): item.manifest.ref for item in bundle.blueprint.variants}
    placed = ((bundle.ref(item.ref), item.hub) for item in bundle.blueprint.placed)
    return objects | dict(placed)


def _condition_findings(
    statuses: Iterable[tuple[PolicyAncestor, tuple[ObservedCondition, ...]]],
) -> Iterator[Result]:
    for policy, conditions in statuses:
        for condition in conditions:
            result = _judge(policy, condition)
            if result is not None:
                yield replace(result, resource=policy.hub, origin=policy.origin)


def _judge(policy: PolicyAncestor, condition: ObservedCondition) -> Result | None:
    if condition.differs:
        return OTHER_CONDITION.result(
            f"{condition.type} is {condition.observed} ({condition.reason}) for "
            f"{policy.ancestor}, and {condition.expected} was expected",
            cure=_SEE,
        )
    if condition.observed is Truth.UNKNOWN and condition.reason not in _OF_OBJECTS:
        message = f"{condition.type} for {policy.ancestor} is not known: "
        message += _UNKNOWN.get(condition.reason, "the cluster does not know it")
        return NOT_OBSERVED.result(message, cure="export the spoke anew")
    return None


_OF_OBJECTS = frozenset({"Missing", "NotExported"})
"""Reasons that the findings about objects tell."""
_UNKNOWN = {
    "NoReport": "no export of the spoke",
    "NotReported": "its controller has not reported it",
    "Stale": "the report is of an earlier generation of the policy",
}
_CURE = "change the hub or the placement if it shall be so; otherwise the engine will set it back"


def _describe(item: Drifted) -> str:
    if item.live is ABSENT:
        return f"the tree sets it to {_short(item.expected)}, and the cluster has none"
    if item.expected is ABSENT:
        return f"the cluster has {_short(item.live)}, and the tree sets none"
    return f"the cluster has {_short(item.live)}, and the tree sets {_short(item.expected)}"


def _short(value: Any) -> str:  # noqa: ANN401  (JSON of any shape)
    if isinstance(value, list):
        return count(len(value), "item")
    text = describe(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _sign(live: LiveObject, annotations: Sequence[tuple[str, str]], spoke: str) -> str:
    """Return by what an object shows that it came from a tree of this spoke; empty if it did not.

    That is an annotation of synced copies, or what Flux and Argo CD write into what they apply.
    """
    metadata = as_mapping(live.get("metadata"))
    labels, notes = as_mapping(metadata.get("labels")), as_mapping(metadata.get("annotations"))
    for name, value in annotations:
        if notes.get(name) == value:
            return f"the annotation {name}"
    if labels.get(_FLUX) == spoke:
        return f"the label {_FLUX}"
    tracked = str(notes.get(_ARGO) or "").partition(":")[0]
    if tracked == spoke or tracked.endswith(f"-{spoke}"):
        return f"the annotation {_ARGO}"
    return ""
