"""The status of policies, routes and listeners: the expected one, or that in exports."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any

from msgspec import to_builtins

from spokerender.explain.diagram import PolicyMark, find_mark
from spokerender.explain.observed.values import ObservedStatus
from spokerender.explain.routing import place_routing
from spokerender.explain.statuses import place_status
from spokerender.explain.values import AncestorStatus, PolicyStatus
from spokerender.findings.phrasing import on_spokes
from spokerender.findings.results import Result
from spokerender.formats import yamlio
from spokerender.judging.attachment.statuses import Condition, Truth
from spokerender.model import ObjectName, Ref
from spokerender.rendering.values.alike import tell_apart
from spokerender.rendering.values.rendered import ConsumerStatus
from spokerender.report import routing, serializing
from spokerender.report.diagrams import SIGNS
from spokerender.report.reports import Look, StatusReport
from spokerender.report.terminal import break_list, columns, fit_table, paint

_NOWHERE = "on no spoke: the status that it would get on the hub"
_HEADER = ("POLICY", "TARGET", "GATEWAY", "ACCEPTED", "RESOLVED REFS", "PROGRAMMED")
_OBSERVED = ("type", "expected", "observed", "reason")
_OBSERVED_HEADER = ("POLICY", "FOR", "CONDITION", "EXPECTED", "OBSERVED", "SPOKES")
_CONTROLLER_COLUMN = "ITS CONTROLLER SAYS"
# The other marks name their reason: overridden by whom, conflicted with whom.
_REASONED = (PolicyMark.REFUSED, PolicyMark.UNRESOLVED, PolicyMark.UNKNOWN)
"""The states for which there are many reasons."""
_TYPES = ("Accepted", "ResolvedRefs", "Programmed")


def status_table(report: StatusReport, look: Look) -> str:
    """Return tables of policies by Gateway, of routes and listeners; then the problems."""
    if report.observed is not None:
        parts = (_observed_table(report.observed, report.spokes), _consumers_yaml(report.consumers))
        return "\n".join(filter(None, parts))
    statuses = [alike.common for alike in report.statuses]
    routes = [alike.common for alike in report.routing]
    lines = []
    # A fleet with routes and no policy gets the table of routes alone; an empty one gets a header.
    if statuses or not routes:
        has_own = any(_own_conditions(entry) for status in statuses for entry in status.ancestors)
        header = (*_HEADER, *([_CONTROLLER_COLUMN] if has_own else []), "SPOKES")
        rows = [
            (
                *(_policy(status), _targets(status), _ancestor(status, entry.ancestor)),
                *(_reason(entry, name, color=look.color) for name in _TYPES),
                *([_own_conditions(entry)] if has_own else []),
                routing.name_spokes(status.spokes, report.spokes),
            )
            for status in statuses
            for entry in status.ancestors
        ]
        # In a narrow terminal, one column has the worst of the three conditions.
        narrow_rows = [
            (
                *(_policy(status), _targets(status), _ancestor(status, entry.ancestor)),
                _summary(entry, color=look.color),
                routing.count_spokes(status.spokes, report.spokes),
            )
            for status in statuses
            for entry in status.ancestors
        ]
        narrow = ("POLICY", "TARGET", "GATEWAY", "STATUS", "SPOKES")
        tables = [header, *rows], [narrow, *narrow_rows]
        lines = fit_table(*tables, look.width, ("TARGET", "GATEWAY"))
    lines += routing.routing_lines(routes, report.spokes, look)
    notes = [line for status in statuses for line in _notes(status, color=look.color)]
    notes += routing.routing_notes(routes, look)
    lines += ["", *notes] if notes else []
    # A table of routes begins with an empty line, which the first table does not need.
    return "".join(f"{line}\n" for line in lines[not lines[0] :])


def status_json(report: StatusReport, _: Look) -> str | Iterator[str]:
    """Return the statuses as one JSON object; spokes with equal values share a status."""
    if report.observed is not None:
        consumers = [_consumer_members(item) for item in report.consumers]
        return _observed_json(report.observed, consumers, report.results)
    policies = (
        routing.status_member(it, it.policy, _gateway_api_status(it, with_outcomes=True))
        # Alike spokes share a value with placeholders; JSON wants it with the values of each.
        for it in tell_apart(report.statuses, place_status)
    )
    findings = {"results": serializing.with_causes(report.results)} if report.results else {}
    return serializing.stream_json(
        {"policies": policies, **routing.routing_members(report.routing), **findings}
    )


def status_yaml(report: StatusReport, _: Look) -> str | Iterator[str]:
    """Return each object with its `status` as a cluster would show it (GEP-713, Gateway API).

    Comments have the facts without a field in that form: the spokes, and the certainty of the
    status.
    """
    if report.observed is not None:
        # No sorting before groupby: entries of a hub policy already stand together.
        policies = groupby(report.observed, attrgetter("policy.hub"))
        objects = (yamlio.emit(_observed_policy(hub, list(group))) for hub, group in policies)
        parts = ("---\n".join(objects), _consumers_yaml(report.consumers))
        return "---\n".join(filter(None, parts))
    # Documents are made one by one: a large fleet has more of them than memory should hold.
    documents = enumerate(_documents(report))
    return (f"---\n{document}" if number else document for number, document in documents)


def _documents(report: StatusReport) -> Iterator[str]:
    for status in tell_apart(report.statuses, place_status):
        comments = [", ".join(status.spokes) or _NOWHERE]
        lines = "".join(f"# {line}\n" for line in comments)
        written = _gateway_api_status(status)
        yield lines + yamlio.emit(routing.status_object(status.version, status.policy, written))
    for item in tell_apart(report.routing, place_routing):
        comments = [", ".join(item.spokes) or _NOWHERE, *routing.uncertain_lines(item)]
        lines = "".join(f"# {line}\n" for line in comments)
        written = routing.routing_status(item)
        object_ = routing.status_object(item.version, item.ref, written, item.labels)
        yield lines + yamlio.emit(object_)


def _consumers_yaml(consumers: Sequence[ConsumerStatus]) -> str:
    """Return the statuses of objects in consumers' workspaces (kcp), one document each."""
    return "---\n".join(yamlio.emit(_consumer_members(item)) for item in consumers)


def _consumer_members(item: ConsumerStatus) -> dict[str, Any]:
    related = [str(ObjectName.of(ref)) for ref in item.related]
    return {
        "workspace": item.workspace,
        "object": str(ObjectName.of(item.object)),
        "spoke": item.spoke,
        "status": item.status,
        **({"related": related} if related else {}),
    }


def _gateway_api_status(status: PolicyStatus, *, with_outcomes: bool = False) -> dict[str, Any]:
    """Return a `status` in the form of the policy's CRD."""
    # Some CRDs have plain conditions instead of the ancestors of GEP-713.
    if not status.has_ancestors:
        return {
            "conditions": serializing.write_conditions(
                status.ancestors[0].conditions, with_outcomes=with_outcomes
            )
        }
    return {
        "ancestors": [
            _ancestor_status(
                entry.ancestor,
                serializing.write_conditions(entry.conditions, with_outcomes=with_outcomes),
            )
            for entry in status.ancestors
            if entry.is_written
        ]
    }


def _ancestor_status(ref: Ref, conditions: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the entry for an ancestor in GEP-713's `PolicyStatus`, for any API group."""
    return {
        "ancestorRef": {"group": ref.group, **serializing.write_reference(ref)},
        "controllerName": routing.CONTROLLER,
        "conditions": conditions,
    }


def _policy(status: PolicyStatus) -> str:
    return f"{status.policy.kind} {status.policy.full_name}"


def _targets(status: PolicyStatus) -> str:
    """Return the targets; a target in the policy's namespace has no namespace."""
    namespace = status.policy.namespace
    return ", ".join(
        f"{target.kind} {target.name if target.namespace == namespace else target.full_name}"
        + (f"[{target.section_name}]" if target.section_name else "")
        for target in dict.fromkeys(status.targets)
    )


def _ancestor(status: PolicyStatus, ancestor: Ref) -> str:
    # The column would only repeat the target, or the policy itself where it has no ancestor.
    if ancestor.whole in (*status.targets, status.policy) and ancestor.kind != "Gateway":
        return "-"
    section = f"[{ancestor.section_name}]" if ancestor.section_name else ""
    return ancestor.full_name + section


def _reason(entry: AncestorStatus, name: str, *, color: bool) -> str:
    conditions = (item for item in entry.conditions if item.type == name)
    texts = (
        paint(_short(item), SIGNS[find_mark(item)].style, color=color)
        # A reason that is a type's name says nothing more than the status, so it needs no colour.
        if item.reason not in _TYPES
        else _short(item)
        for item in conditions
    )
    return next(texts, "-")


def _summary(entry: AncestorStatus, *, color: bool) -> str:
    """Return the policy's worst state, in the words of diagrams."""
    marks = [find_mark(item) for item in entry.conditions if item.type in _TYPES]
    # A policy that is never programmed is at best accepted; without this mark nothing would be
    # left.
    if all(item.type != "Programmed" for item in entry.conditions):
        marks.append(PolicyMark.ACCEPTED)
    # PolicyMark lists its members from the best to the worst.
    worst = max(marks, key=[*PolicyMark].index)
    return paint(worst, SIGNS[worst].style, color=color)


def _own_conditions(entry: AncestorStatus) -> str:
    """Return the conditions beyond those of GEP-713, as the policy's controller writes them."""
    return ", ".join(
        item.type
        if item.reason == item.type and item.status is Truth.TRUE
        else f"{item.type} {_short(item)}"
        for item in entry.conditions
        if item.type not in _TYPES
    )


def _short(condition: Condition) -> str:
    if condition.reason == condition.type:
        return str(condition.status)
    return f"{condition.status}: {condition.reason}"


def _notes(status: PolicyStatus, *, color: bool) -> Iterator[str]:
    """Yield the conditions of one policy that report a problem, and the findings of `check`."""
    notes = []
    messages = []
    for entry in status.ancestors:
        for item in entry.conditions:
            if item.type in _TYPES and item.reason not in _TYPES and not _follows(item, entry):
                mark = find_mark(item)
                reason = f" ({item.reason})" if mark in _REASONED else ""
                state = paint(mark, SIGNS[mark].style, color=color)
                notes.append(f"{state}{reason}: {item.message}")
                messages.append(item.message)
    notes += [
        routing.finding_note(result, status.spokes, color=color)
        for result in status.results
        # The same problem as condition and as finding is told once, by the condition.
        if not any(result.message in message for message in messages)
    ]
    for note in dict.fromkeys(notes):
        yield break_list(f"{status.policy} ({status.origin}): {note}")


def _follows(condition: Condition, entry: AncestorStatus) -> bool:
    """Return whether the same objects' ages decide about a condition and about `Accepted`."""
    accepted = next((item for item in entry.conditions if item.type == "Accepted"), condition)
    ages = condition.by_age, accepted.by_age
    return (
        condition is not accepted
        and ages[0] is not None
        and ages[1] is not None
        # The first note already says which objects decide by age; a second one would repeat them.
        and ages[0].among == ages[1].among
    )


def _observed_table(statuses: Sequence[ObservedStatus], total: int | None) -> str:
    """Return a row for each condition of a policy; spokes with the same condition share a row."""
    rows = [
        (
            f"{status.policy.hub.kind} {status.policy.hub.full_name}",
            str(status.policy.ancestor),
            *condition,
            on_spokes(sorted(names), total).removeprefix("on "),
        )
        for status in statuses
        for condition, names in _alike(status).items()
    ]
    return "".join(f"{line}\n" for line in columns([_OBSERVED_HEADER, *rows]))


def _alike(status: ObservedStatus) -> dict[tuple[str, str, str], list[str]]:
    spokes: dict[tuple[str, str, str], list[str]] = {}
    for item, names in status.spokes_of.items():
        expected = str(item.expected) if item.expected is not None else "-"
        # The reason of a fulfilled condition is left out, so that spokes are alike if their
        # controllers differ in words.
        seen = str(item.observed) if item.observed == "True" else f"{item.observed} {item.reason}"
        spokes.setdefault((item.type, expected, seen), []).extend(names)
    return spokes


def _observed_json(
    statuses: Sequence[ObservedStatus],
    consumers: Sequence[dict[str, Any]],
    results: Sequence[Result],
) -> str:
    """Return policies with their conditions (summed up, and by spoke) as JSON, and the findings.

    `consumers` are the statuses in consumers' workspaces (kcp).
    """
    policies = [
        {
            "hub": status.policy.hub,
            "file": status.policy.origin,
            "ancestor": status.policy.ancestor,
            "conditions": [to_builtins(status.summary(type_)) for type_ in status.types],
            "spokes": [
                {"spoke": spoke, **{key: getattr(item, key) for key in _OBSERVED}}
                for spoke, item in status.list_by_spoke()
            ],
        }
        for status in statuses
    ]
    of_consumers = {"consumers": consumers} if consumers else {}
    return serializing.json_text(
        {"policies": policies, **of_consumers, "results": serializing.with_causes(results)}
    )


def _observed_policy(hub: Ref, statuses: Sequence[ObservedStatus]) -> dict[str, Any]:
    """Return a hub policy with the status of its spokes (GEP-713, `PolicyStatus`)."""
    ancestors = [
        _ancestor_status(
            status.policy.ancestor,
            serializing.write_conditions(map(status.summary, status.types)),
        )
        for status in statuses
    ]
    return routing.status_object(statuses[0].policy.version, hub, {"ancestors": ancestors})
