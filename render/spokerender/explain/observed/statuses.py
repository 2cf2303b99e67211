"""The conditions that clusters report for policies, compared with the expected conditions."""

import re
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter, itemgetter

from msgspec import Struct
from msgspec.structs import replace

from spokerender.explain.observed import values
from spokerender.explain.observed.snapshots import LiveObject, Snapshot
from spokerender.explain.values import AncestorStatus, PolicyStatus
from spokerender.findings.codes.review import NOT_OBSERVED, OTHER_CONDITION
from spokerender.findings.occurrences import Occurrence, merge_occurrences
from spokerender.findings.results import Result, Severity
from spokerender.judging.attachment.statuses import Truth
from spokerender.kinds.kind import Kind, Role
from spokerender.kinds.merging import DIRECT
from spokerender.kinds.reference import Reference
from spokerender.kinds.references import read_references
from spokerender.kinds.statuses import find_reported
from spokerender.model import GATEWAY_API, Ref, grouped
from spokerender.model.rollout import FAILED, PROGRESSING, SUCCEEDED, RolloutState, RolloutStatus
from spokerender.model.shapes import as_mapping, as_mappings
from spokerender.model.times import read_time

_SAME_AS = {"Enforced": "Programmed"}
"""Kuadrant's name for a condition (kuadrant-operator ae69881, internal/kuadrant/conditions.go)."""
_MARK = re.compile(r"(?:.+/)?([A-Z]\w*)Affected")
_ANY_POLICY = "Policy"
_ACCEPTED = ("Accepted", "True")
_SEE_MARK = "see the log of its controller; if policies were not exported, export them as well"


def reduce_status(status: PolicyStatus) -> PolicyStatus:
    """Return the compared part of an expected status: no messages, findings or spokes."""
    ancestors = (
        replace(entry, conditions=tuple(replace(item, message="") for item in entry.conditions))
        for entry in status.ancestors
    )
    return replace(status, ancestors=tuple(ancestors), targets=(), spokes=(), results=())


def observe_policy(
    status: PolicyStatus,
    live: LiveObject | None,
    reason: str,
    kind: Kind,
    on_hub: Mapping[Ref, Ref],
) -> Iterator[values.ConditionsOfPolicy]:
    """Yield a policy's conditions on one spoke, for each of its ancestors.

    `live` is the policy on the spoke; if it is None, `reason` says why. `on_hub` has the hub refs
    of the spoke's objects.
    """
    for entry in sorted(status.ancestors, key=attrgetter("ancestor")):
        ancestor = entry.ancestor
        whole = on_hub.get(ancestor.whole, ancestor.whole)
        section = Ref(whole.group, whole.kind, whole.namespace, whole.name, ancestor.section_name)
        of_live = as_mapping(live.get("status")) if live is not None else {}
        # Without ancestors in the live status, its conditions are about the policy as a whole.
        is_of_policy = not status.has_ancestors or "ancestors" not in of_live
        expected = _expected(status.ancestors if is_of_policy and of_live else (entry,))
        conditions: tuple[values.ObservedCondition, ...]
        if live is None:
            types = _types(kind) or tuple(expected)
            conditions = tuple(
                values.ObservedCondition(type_, expected.get(type_), Truth.UNKNOWN, reason)
                for type_ in types
            )
        else:
            conditions = tuple(_observe(live, status, entry, expected, kind))
        place = (status.hub, status.version, status.origin, section, status.has_ancestors)
        yield values.PolicyAncestor(*place), conditions


def _types(kind: Kind) -> tuple[str, ...]:
    """Return the types of the conditions that the kind's controller writes for every policy."""
    reported = find_reported(kind)
    names = reported.conditions if reported is not None else ()
    return tuple(_SAME_AS.get(name, name) for name in names)


def _expected(entries: Sequence[AncestorStatus]) -> dict[str, Truth]:
    """Return the expected status of each type of condition; Unknown if the ancestors disagree."""
    truths: dict[str, set[Truth]] = {}
    for each in entries:
        for condition in each.conditions:
            type_ = _SAME_AS.get(condition.type, condition.type)
            truths.setdefault(type_, set()).add(condition.status)
    return {
        type_: each.pop() if len(each) == 1 else Truth.UNKNOWN for type_, each in truths.items()
    }


def _observe(
    live: LiveObject,
    status: PolicyStatus,
    entry: AncestorStatus,
    expected: Mapping[str, Truth],
    kind: Kind,
) -> Iterator[values.ObservedCondition]:
    generation = as_mapping(live.get("metadata")).get("generation")
    of_policy = as_mapping(live.get("status"))
    whole = of_policy.get("observedGeneration")
    names = kind.controller.names
    reported: dict[str, LiveObject] = {}
    for condition in _conditions(of_policy, entry.ancestor, status.policy, names):
        name = str(condition.get("type"))
        same = _SAME_AS.get(name, name)
        # Of several entries, the condition that is not met counts.
        if same not in reported or condition.get("status") != "True":
            reported[same] = condition
    types = _types(kind) or tuple(expected)
    for type_ in dict.fromkeys((*types, *(name for name in expected if name in reported))):
        current = reported.get(type_)
        if current is None:
            # A policy that is not accepted has no current Programmed (GEP-713).
            if type_ in expected or "Accepted" not in reported:
                expected_truth = expected.get(type_)
                yield values.ObservedCondition(type_, expected_truth, Truth.UNKNOWN, "NotReported")
            continue
        seen = current.get("observedGeneration", whole)
        # Kubernetes counts generations, so anything else cannot be compared.
        is_stale = type(seen) is type(generation) is int and seen < generation
        truth = {"True": Truth.TRUE, "False": Truth.FALSE}.get(str(current.get("status")))
        yield values.ObservedCondition(
            type_,
            expected.get(type_),
            Truth.UNKNOWN if is_stale or truth is None else truth,
            "Stale" if is_stale else str(current.get("reason") or "NoReason"),
            _time(current.get("lastTransitionTime")),
        )


def _time(text: object) -> int | None:
    try:
        return read_time(text) if isinstance(text, str) else None
    except ValueError:
        return None


def _conditions(
    status: LiveObject, ancestor: Ref, policy: Ref, controllers: Collection[str]
) -> Sequence[LiveObject]:
    """Return the conditions in a status for an ancestor; if absent, those of the whole policy."""
    entries = grouped(
        (_read_ancestor(entry, policy), entry) for entry in as_mappings(status.get("ancestors"))
    )
    # An entry for a whole Gateway is for each of its listeners.
    reports = entries.get(ancestor) or entries.get(ancestor.whole)
    if reports is None:
        return as_mappings(status.get("conditions"))
    # Several controllers may write entries for an ancestor; the kind's controllers count, if known.
    own = [entry for entry in reports if entry.get("controllerName") in controllers]
    return [item for entry in own or reports for item in as_mappings(entry.get("conditions"))]


def find_unexpected(
    status: PolicyStatus, live: LiveObject | None, on_hub: Mapping[Ref, Ref]
) -> Iterator[Ref]:
    """Yield the ancestors (hub names) for which a cluster accepts a policy unexpectedly.

    `status` is the policy's expected status, `live` the policy on the spoke, if there is one.
    `on_hub` has the hub names of the spoke's objects.
    """
    of_policy = as_mapping(live.get("status")) if live is not None else {}
    expected = {entry.ancestor.whole for entry in status.ancestors}
    kinds = {ref.kind for ref in expected}
    for entry in as_mappings(of_policy.get("ancestors")):
        named = _read_ancestor(entry, status.policy).whole
        # Objects that are not of this tree are others' business.
        if named in expected or named not in on_hub or named.kind not in kinds:
            continue
        conditions = as_mappings(entry.get("conditions"))
        if any(
            item.get("type") == "Accepted" and item.get("status") == "True" for item in conditions
        ):
            yield on_hub[named]


def judge_marks(
    snapshot: Snapshot, own: Container[Ref], find_kind: Callable[[Ref], Kind]
) -> Iterator[tuple[Ref, Result]]:
    """Yield findings about exported objects in `own` whose marks do not match their policies.

    A mark is a condition or label such as `example.com/PolicyAffected` (GEP-2648). An object must
    have the mark as long as a policy targets the object or an object that it is attached to.
    """
    links: dict[Ref, tuple[Reference, ...]] = {}
    policies: dict[Ref, Kind] = {}
    for ref, live in snapshot.objects.items():
        kind = find_kind(ref)
        if kind.is_policy:
            policies[ref] = kind
        links[ref] = read_references(kind, live, ref.namespace)
    # The name is empty for a selector, which may select any object of its kind.
    named = ((it.ref.whole, kind.kind) for ref, kind in policies.items() for it in links[ref])
    naming = grouped(named)
    for ref in filter(own.__contains__, snapshot.objects):
        kinds = {kind for each in _list_named(ref, links) for kind in naming.get(each, ())}
        marked = filter(None, map(_MARK.fullmatch, _list_marks(snapshot.objects[ref])))
        for name, of in {item[0]: item[1] for item in marked}.items():
            if not (of in kinds or (of == _ANY_POLICY and kinds)):
                is_known = any(of in (_ANY_POLICY, kind.kind) for kind in policies.values())
                code = OTHER_CONDITION if is_known else NOT_OBSERVED
                message = f"{name} is on it, and no {of} in the export is for it"
                yield ref, code.result(message, cure=_SEE_MARK)
    for ref, kind in policies.items():
        for link in links[ref]:
            target = link.ref.whole
            if target in own and _lacks_mark(kind, snapshot.objects, ref, target):
                message = f"nothing on it tells that {ref} affects it, which is accepted"
                code = OTHER_CONDITION if kind.controller.affects[0] else NOT_OBSERVED
                yield target, code.result(message, cure=_SEE_MARK)


def _list_named(ref: Ref, links: Mapping[Ref, tuple[Reference, ...]]) -> Iterator[Ref]:
    """Yield an object and all objects above it, each also with an empty name (as in selectors)."""
    above = [ref]
    # The list grows while it is read: a ListenerSet of a route hangs on a Gateway.
    for each in above:
        yield each
        yield replace(each, name="")
        parents = (it.ref.whole for it in links.get(each, ()) if it.row.role is Role.PARENT)
        above += [parent for parent in parents if parent not in above]


def _list_marks(live: LiveObject) -> Iterator[str]:
    """Yield the labels of an object with the value `true`, and the types of its true conditions."""
    labels = as_mapping(as_mapping(live.get("metadata")).get("labels"))
    yield from (str(name) for name, value in labels.items() if value == "true")
    status = as_mapping(live.get("status"))
    parts = (status, *as_mappings(status.get("parents")), *as_mappings(status.get("listeners")))
    for item in (each for part in parts for each in as_mappings(part.get("conditions"))):
        if item.get("status") == "True":
            yield str(item.get("type"))


def _lacks_mark(kind: Kind, objects: Mapping[Ref, LiveObject], policy: Ref, target: Ref) -> bool:
    """Return whether a target with true conditions or labels lacks an accepted policy's mark."""
    affects = kind.controller.affects[0].format(kind.kind)
    if not (affects or kind.merging is DIRECT):
        return False
    status = as_mapping(objects[policy].get("status"))
    parts = (status, *as_mappings(status.get("ancestors")))
    conditions = [each for part in parts for each in as_mappings(part.get("conditions"))]
    is_accepted = any((it.get("type"), it.get("status")) == _ACCEPTED for it in conditions)
    marks = tuple(_list_marks(objects.get(target, {})))
    has_own = affects in marks if affects else any(it.endswith("/PolicyAffected") for it in marks)
    return is_accepted and bool(marks) and not has_own


def _read_ancestor(entry: LiveObject, policy: Ref) -> Ref:
    ref = as_mapping(entry.get("ancestorRef"))
    return Ref(
        str(ref.get("group", GATEWAY_API)),
        str(ref.get("kind", "Gateway")),
        str(ref.get("namespace") or policy.namespace),
        str(ref.get("name")),
        str(ref.get("sectionName") or ""),
    )


class ObservedFleet(Struct, frozen=True, eq=False):
    """The observed conditions of policies, and the findings about the exports."""

    statuses: tuple[values.ObservedStatus, ...]
    results: tuple[Result, ...]


def join_spokes(spokes: Iterable[values.ObservedSpoke]) -> ObservedFleet:
    """Return the joined conditions and findings of spokes, sorted by policy and ancestor."""
    joined: dict[tuple[Ref, Ref], values.ObservedStatus] = {}
    names_of: dict[Result, list[str]] = {}
    for spoke in spokes:
        for result in spoke.results:
            names_of.setdefault(result, []).append(spoke.name)
        for policy, conditions in spoke.conditions:
            place = policy.hub, policy.ancestor
            status = joined.setdefault(place, values.ObservedStatus(policy, {}))
            for condition in conditions:
                # Without times, conditions of many spokes are equal.
                timeless = replace(condition, since=None)
                status.spokes_of.setdefault(timeless, []).append(spoke.name)
    occurrences = (Occurrence(result, tuple(names)) for result, names in names_of.items())
    statuses = (status for _, status in sorted(joined.items(), key=itemgetter(0)))
    return ObservedFleet(tuple(statuses), merge_occurrences(occurrences))


def list_statuses(
    state: RolloutState, spokes: Iterable[values.ObservedSpoke]
) -> tuple[RolloutStatus, ...]:
    """Return the status of each spoke whose wave is done, with the time of the last transition.

    A spoke has failed if a condition is False that was not expected to be, and has succeeded if its
    whole export is as expected. All other spokes progress, such as a spoke without an exported
    object of some kind.
    """
    statuses = {spoke.name: _judge(spoke) for spoke in spokes}
    return tuple(
        statuses.get(name, RolloutStatus(name, PROGRESSING, None))
        # Spokes whose export is missing still progress.
        for name in sorted(state.released)
    )


def _judge(spoke: values.ObservedSpoke) -> RolloutStatus:
    conditions = [item for _, each in spoke.conditions for item in each]
    failed = [item for item in conditions if item.observed is Truth.FALSE and item.differs]
    # The last transition tells since when the spoke has been so.
    times = [item.since for item in (failed or conditions) if item.since is not None]
    is_open = any(
        item.observed is Truth.UNKNOWN and item.expected is Truth.TRUE for item in conditions
    )
    is_true = spoke.is_whole and not any(item.severity is Severity.ERROR for item in spoke.results)
    status = FAILED if failed else SUCCEEDED if is_true and not is_open else PROGRESSING
    return RolloutStatus(spoke.name, status, max(times, default=None))
