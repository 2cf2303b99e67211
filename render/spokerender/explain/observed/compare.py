"""Everything in which exported spokes are not what was foretold, as findings."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from spokerender.explain.observed.drift import Drifted, DriftFinder
from spokerender.explain.observed.snapshots import LiveObject, Snapshot
from spokerender.explain.observed.statuses import join_statuses, observe_policy
from spokerender.explain.observed.values import ObservedCondition, ObservedStatus
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
from spokerender.kinds.owned import without_owned
from spokerender.model import Ref, shown
from spokerender.model.shapes import as_mapping
from spokerender.rendering.values.bundles import Bundle, Filler

_FLUX = "kustomize.toolkit.fluxcd.io/name"
_ARGO = "argocd.argoproj.io/tracking-id"
_SHOWN = 60


class ObservedFleet(Struct, frozen=True, eq=False):
    """The exports beside the foretold: conditions of policies, and the findings.

    `partial` are the spokes whose exports lack a whole kind of their trees.
    """

    statuses: tuple[ObservedStatus, ...]
    results: tuple[Result, ...]
    partial: frozenset[str]


def compare_snapshots(
    foretold: Sequence[PolicyStatus],
    bundles: Mapping[str, Bundle],
    snapshots: Mapping[str, Snapshot],
    catalogue: Catalogue,
    *,
    full: bool,
) -> ObservedFleet:
    """Hold the exports of spokes against what is foretold.

    Args:
        foretold: the statuses of policies, each with its spokes.
        bundles: what each spoke has; a spoke that waits has what its folder has.
        snapshots: the exports, by spoke.
        catalogue: the kinds.
        full: whether fields that only a cluster has are drift, too.

    """
    statuses = list(_observe(foretold, bundles, snapshots, catalogue))
    finder, filler = DriftFinder(full=full), Filler()
    occurrences = [
        *_condition_findings(statuses),
        *(
            occurrence
            for spoke, snapshot in snapshots.items()
            for occurrence in _object_findings(bundles[spoke], snapshot, catalogue, finder, filler)
        ),
    ]
    partial = frozenset(
        spoke
        for spoke, snapshot in snapshots.items()
        for variant in bundles[spoke].blueprint.variants
        if (variant.ref.group, variant.ref.kind) not in snapshot.kinds
    )
    return ObservedFleet(join_statuses(statuses), merge_occurrences(occurrences), partial)


def _observe(
    foretold: Iterable[PolicyStatus],
    bundles: Mapping[str, Bundle],
    snapshots: Mapping[str, Snapshot],
    catalogue: Catalogue,
) -> Iterator[ObservedStatus]:
    on_hub: dict[str, dict[Ref, Ref]] = {}
    for status in foretold:
        kind = catalogue.kind(status.policy.group, status.policy.kind)
        for spoke in status.spokes:
            if spoke not in on_hub:
                on_hub[spoke] = _identities(bundles[spoke])
            yield from observe_policy(status, spoke, snapshots.get(spoke), kind, on_hub[spoke])


def _identities(bundle: Bundle) -> dict[Ref, Ref]:
    """Return the identity on the hub of each object and Gateway of a spoke."""
    objects = {bundle.ref(item.ref): item.manifest.ref for item in bundle.blueprint.variants}
    placed = ((bundle.ref(item.ref), item.hub) for item in bundle.blueprint.placed)
    return objects | dict(placed)


def _condition_findings(statuses: Iterable[ObservedStatus]) -> Iterator[Occurrence]:
    for status in statuses:
        for condition in status.conditions:
            result = _judge(status, condition)
            if result is not None:
                place = replace(result, resource=status.hub, origin=status.origin)
                yield Occurrence(place, (condition.spoke,))


def _judge(status: ObservedStatus, condition: ObservedCondition) -> Result | None:
    if condition.differs:
        return OTHER_CONDITION.result(
            f"{condition.type} is {condition.observed} ({condition.reason}) for "
            f"{status.ancestor}, and {condition.foretold} was foretold",
            cure="see why on the cluster; spokerender status --spoke says what is foretold",
        )
    if condition.observed is Truth.UNKNOWN and condition.reason not in _OF_OBJECTS:
        message = f"{condition.type} for {status.ancestor} is not known: "
        message += _UNKNOWN.get(condition.reason, "the cluster does not know it")
        return NOT_OBSERVED.result(message, cure="export the spoke anew")
    return None


def _object_findings(
    bundle: Bundle, snapshot: Snapshot, catalogue: Catalogue, finder: DriftFinder, filler: Filler
) -> Iterator[Occurrence]:
    spokes = (bundle.spoke.name,)
    variants = {bundle.ref(variant.ref): variant for variant in bundle.blueprint.variants}
    for ref, variant in variants.items():
        manifest = variant.manifest
        live = snapshot.objects.get(ref)
        if live is not None:
            kind = catalogue.kind(ref.group, ref.kind)
            portable = without_owned(dict(live), kind.owned, catalogue.marks)
            drift = finder.find(filler.fill(variant.object, bundle), portable)
            results = tuple(
                DRIFT.result(_describe(item), cure=_CURE, field=shown(item.path)) for item in drift
            )
        elif (ref.group, ref.kind) not in snapshot.kinds:
            message = f"{ref} is in the tree, and no object of its kind is in the export"
            results = (NOT_OBSERVED.result(message, cure="export its kind as well"),)
        elif ref not in snapshot.reported:
            message = f"{ref} is in the tree, and not in the export"
            cure = "see whether the engine has applied the tree"
            results = (MISSING_OBJECT.result(message, cure=cure),)
        else:
            continue
        for result in results:
            place = replace(result, resource=manifest.ref, origin=manifest.origin)
            yield Occurrence(place, spokes)
    for ref, live in snapshot.objects.items():
        sign = _sign(live, catalogue.kind(ref.group, ref.kind).annotations, bundle.spoke.name)
        if ref not in variants and sign:
            message = f"it is on the cluster, with {sign}, and not in the tree"
            cure = "delete it there, if the engine does not; until then it is in force"
            yield Occurrence(LEFTOVER_OBJECT.result(message, cure=cure, resource=ref), spokes)


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
