"""The sources of decisions in OCM's objects: PlacementDecisions of a hub, and its Placements.

PlacementDecisions are used unchanged. A Placement without any is decided here, as OCM would.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from spokerender.findings.codes import placement as codes
from spokerender.findings.phrasing import did_you_mean, listed
from spokerender.findings.results import FindingKind, Result, Severity
from spokerender.model import Ref, grouped
from spokerender.model.quantities import parse_int64
from spokerender.model.refs import OCM
from spokerender.model.shapes import as_mapping
from spokerender.model.spokes import DecisionGroup
from spokerender.rendering.placement.asking import HubAnswer, HubQuestion, placement_ref
from spokerender.rendering.values.decisions import DecidedPlacement, PlacementChange
from spokerender.wings.hubs.ocm import reading
from spokerender.wings.hubs.ocm.deciding import (
    Decided,
    NothingBoundError,
    decide_all,
    explain_absence,
    explain_change,
)
from spokerender.wings.hubs.ocm.inventory import NotEvaluableError, TimeNeededError
from spokerender.wings.hubs.ocm.objects import HubDecision, ManagedCluster
from spokerender.wings.hubs.ocm.prioritizers import depends_on_time, find_expired


def import_decisions(question: HubQuestion) -> HubAnswer:
    """Return the hub's PlacementDecisions by the Placement that their label names."""
    inventory = reading.inventory_of(question.objects)
    clusters = reading.clusters_of(inventory)
    decisions_of = grouped(
        (f"{decision.namespace}/{decision.placement}", decision)
        for decision in inventory.decisions
        if decision.placement
    )
    has_requests = any(manifest.ref.kind == "Placement" for manifest in question.objects.manifests)
    # With Placements in the hub, `decided` checks its objects, once.
    results = [] if has_requests else list(reading.check_objects(question))
    for key, decisions in decisions_of.items():
        if key in question.used:
            results += _check(decisions, question.spokes | clusters.keys())
    return HubAnswer(
        {key: _placement(key, decisions) for key, decisions in decisions_of.items()},
        clusters,
        tuple(results),
    )


def _placement(key: str, decisions: Sequence[HubDecision]) -> DecidedPlacement:
    """Return the decision of Placement `key`; `decisions` with the same group index are joined."""
    pieces = grouped((parse_int64(decision.index) or 0, decision) for decision in decisions)
    groups = (
        DecisionGroup(
            pieces[index][0].group,
            index,
            # One set of all its pieces, as MGC reads them (pkg/placement/ocm.go).
            tuple(sorted({name for piece in pieces[index] for name in piece.clusters})),
        )
        for index in sorted(pieces)
    )
    return DecidedPlacement(key, tuple(groups), decisions[0].place)


def _check(decisions: Sequence[HubDecision], declared: Collection[str]) -> Iterator[Result]:
    """Yield findings about a Placement's decisions; `declared` names all clusters and spokes."""
    first: dict[str, HubDecision] = {}
    for decision in decisions:
        for name, times in Counter(decision.clusters).items():
            other = first.setdefault(name, decision)
            if times > 1 or other is not decision:
                message = f'the cluster "{name}" is named twice'
                message += f", also by {other.name}" if other is not decision else ""
                index = len(decision.clusters) - 1 - decision.clusters[::-1].index(name)
                yield _refuse(decision, message, "export the decisions anew", index)
            if name not in declared:
                message = f'no ManagedCluster "{name}" is in the hub, and no spoke is declared so'
                cure = "export the ManagedClusters with the decisions, or declare the spoke"
                index = decision.clusters.index(name)
                yield _refuse(decision, message, did_you_mean(name, declared) or cure, index)
    yield from _check_indices(decisions)


def _check_indices(decisions: Iterable[HubDecision]) -> Iterator[Result]:
    names: dict[int, HubDecision] = {}
    for decision in decisions:
        index = parse_int64(decision.index or "0")
        if index is None or index < 0:
            message = f'the index "{decision.index[:40]}" of its group is no number'
            yield _refuse(decision, message, "export the decisions anew")
            continue
        other = names.setdefault(index, decision)
        if other.group != decision.group:
            message = f'its group "{decision.group}" has the index of "{other.group}"'
            yield _refuse(decision, message, "export the decisions anew")
    for expected, index in enumerate(sorted(names)):
        if index != expected:
            message = f"its group has the index {index}, but there is none with {expected}"
            yield _refuse(names[index], message, "export all decisions of the Placement")
            break


def _refuse(decision: HubDecision, message: str, cure: str, index: int | None = None) -> Result:
    """Return a finding about the cluster at `index` (None: the labels) of a PlacementDecision."""
    field = "metadata.labels" if index is None else f"status.decisions[{index}].clusterName"
    ref, origin = (
        Ref(OCM, "PlacementDecision", decision.namespace, decision.name),
        decision.place(field),
    )
    return codes.BAD_DECISION.result(message, cure=cure, resource=ref, field=field, origin=origin)


_DEFAULTS = {"sortBy": "ClusterName", "scoreRateLimit": "1m", "spreadPolicy": {}}
"""The fields that OCM ignores, with their default values."""


def decide_placements(question: HubQuestion) -> HubAnswer:
    """Decide the Placements that no earlier source decided, or all of them (`decide: always`)."""
    inventory = reading.inventory_of(question.objects)
    # What a hub has decided counts, as its scores and history are not in files.
    passed_over = frozenset() if question.settings.decides_always else frozenset(question.before)
    answers = decide_all(inventory, question.lock, question.settings.options, passed_over)
    used = [one for one in answers if one.key in question.used]
    changes = ((one, explain_change(one)) for one in answers)
    moves = [(one, change) for one, change in changes if change is not None]
    return HubAnswer(
        {
            one.key: DecidedPlacement(
                one.key, one.groups, one.question.request.place, _named_groups(one)
            )
            for one in answers
        },
        reading.clusters_of(inventory),
        (
            *reading.check_objects(question),
            *reading.report_liveness(question),
            *_report_refusals(question, answers),
            *_report_shortages(used),
            *_report_ignored(question),
            *_report_expired(used),
            *(_tell(one, change) for one, change in moves if change.key in question.used),
        ),
        (
            *(_tell(one, change, Severity.ERROR) for one, change in moves if change.is_forced),
            *_report_moves(used),
            *_report_other_answers(question, used),
        ),
        tuple(change for _, change in moves),
        is_timed=any(_is_timed(one) for one in answers),
        computed=frozenset(one.key for one in answers),
    )


def _is_timed(one: Decided) -> bool:
    # Without an answer, any cluster may be one whose time decides.
    clusters: Iterable[ManagedCluster] = one.question.inventory.clusters.values()
    if one.scheduled is not None:
        clusters = one.scheduled.rivals
    return depends_on_time(one.question, clusters)


def _named_groups(one: Decided) -> frozenset[str]:
    strategy = one.question.request.spec.decision_strategy.group_strategy
    return frozenset(group.group_name for group in strategy.decision_groups)


_FAULTS: Mapping[type[Exception], tuple[FindingKind, str]] = {
    TimeNeededError: (
        codes.TIME_NEEDED,
        "the lock keeps the time: spokerender build --now $(date -u +%Y-%m-%dT%H:%M:%SZ)",
    ),
    NotEvaluableError: (
        codes.UNKNOWN_EXPRESSION,
        "write it with other functions, or commit the hub's PlacementDecisions",
    ),
}
_CURE = "correct the Placement: a hub would remove all its clusters"


def _report_refusals(question: HubQuestion, answers: tuple[Decided, ...]) -> Iterator[Result]:
    """Yield a finding for each Placement that is not decided; an info if nothing depends on it."""
    for one in answers:
        if one.refused is None:
            continue
        kind, cure = _FAULTS.get(type(one.refused), (codes.PLACEMENT_REFUSED, _CURE))
        # syncPlacement writes empty decisions then, as for what is misconfigured: a delivery that
        # followed would prune every policy. Here the build is refused, and the last decision stays.
        if isinstance(one.refused, NothingBoundError):
            cure = f"a hub would remove all its clusters: {_find_unbound(one)}"
        message = str(one.refused)
        if isinstance(one.refused, TimeNeededError):
            message = f"it depends on the time: {message}"
        # With an entry in the lock a Placement is in the balance of others, though unused itself.
        counts = one.key in question.used or bool(one.before)
        field = getattr(one.refused, "field", "")
        yield _about(one, kind, message, cure, None if counts else Severity.INFO, field)


def _find_unbound(one: Decided) -> str:
    """Return the suggested fix for a Placement in whose namespace no requested set is bound."""
    request, inventory = one.question.request, one.question.inventory
    bindings = inventory.bindings.get(request.namespace, ())
    gone = [name for name in bindings if name not in inventory.sets]
    if gone:
        hint = did_you_mean(gone[0], inventory.sets, "the hub has")
        return f'no ManagedClusterSet "{gone[0]}" is in the hub, which a binding names; {hint}'
    asked = [name for name in request.spec.cluster_sets if name not in inventory.sets]
    if asked:
        hint = did_you_mean(asked[0], inventory.sets, "the hub has")
        return f'no ManagedClusterSet "{asked[0]}" is in the hub; {hint}'
    names = " or ".join(request.spec.cluster_sets or sorted(inventory.sets))
    return f"add a ManagedClusterSetBinding for {names} in the namespace {request.namespace}"


def _report_shortages(answers: list[Decided]) -> Iterator[Result]:
    for one in answers:
        scheduled = one.scheduled
        if scheduled is None or scheduled.satisfied.is_true or one.refused is not None:
            continue
        selected = f"; selected are {listed(one.clusters)}" if one.clusters else ""
        cure = f"see why with spokerender explain placement {one.key}"
        yield _about(one, codes.FEW_CLUSTERS, f"{scheduled.satisfied.message}{selected}", cure)


def _report_ignored(question: HubQuestion) -> Iterator[Result]:
    refs = {placement_ref(key) for key in question.used}
    for manifest in question.objects.manifests:
        if manifest.ref not in refs:
            continue
        spec = as_mapping(manifest.object.get("spec"))
        for field, default in _DEFAULTS.items():
            if spec.get(field, default) != default:
                yield codes.IGNORED_FIELD.result(
                    "OCM's scheduler ignores this field, and so it is ignored here",
                    cure="remove it",
                    resource=manifest.ref,
                    field=f"spec.{field}",
                    origin=reading.written_at(manifest)(f"spec.{field}"),
                )


def _report_expired(answers: list[Decided]) -> Iterator[Result]:
    for one in answers:
        names = find_expired(one.question, one.scheduled.rivals if one.scheduled else ())
        if names:
            message = f"AddOnPlacementScores {listed(names)} expired, and count as 0"
            yield _about(one, codes.EXPIRED_SCORE, message, "export the scores anew")


def _report_moves(answers: list[Decided]) -> Iterator[Result]:
    for one in answers:
        if one.moves and one.scheduled is not None:
            names = listed(one.scheduled.selected)
            message = f"OCM would select {names} now, instead of {listed(one.clusters)}"
            cure = f"spokerender build --update-placement={one.key} takes the new decision"
            yield _about(one, codes.WOULD_MOVE, message, cure)


def _report_other_answers(question: HubQuestion, answers: list[Decided]) -> Iterator[Result]:
    """Yield a finding if `decide: always` decides a Placement differently than the hub did."""
    for one in answers:
        in_hub = question.before.get(one.key)
        if in_hub is None or in_hub.clusters == one.clusters:
            continue
        if one.scheduled is None or one.refused is not None:
            continue
        message = (
            f"the hub selected {listed(in_hub.clusters) or 'none'}, "
            f"and {listed(one.clusters) or 'none'} are decided here"
        )
        only = sorted({*in_hub.clusters} - {*one.clusters})
        if only:
            reason = explain_absence(one.question, one.scheduled, only[0])
            message += f" ({only[0]}: {reason})"
        cure = "export the hub's objects together, or leave decide: always out"
        yield _about(one, codes.HUB_DECIDED_OTHERWISE, message, cure)


def _tell(one: Decided, change: PlacementChange, severity: Severity | None = None) -> Result:
    parts = [
        *(f"{name} is added ({reason})" for name, reason in change.comes),
        *(f"{name} is removed ({reason})" for name, reason in change.goes),
    ]
    cure = "spokerender build writes it to placement.lock.yaml, with the tree"
    return _about(one, codes.DECISION_CHANGES, listed(parts, separator="; "), cure, severity)


def _about(  # noqa: PLR0913, PLR0917  (the parts of a finding)
    one: Decided,
    kind: FindingKind,
    message: str,
    cure: str,
    severity: Severity | None = None,
    field: str = "",
) -> Result:
    origin = one.question.request.place(field)
    ref = placement_ref(one.key)
    return kind.result(
        message, cure=cure, resource=ref, field=field, origin=origin, severity=severity
    )
