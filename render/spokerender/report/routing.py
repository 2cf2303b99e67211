"""The statuses of routes, Gateways and ListenerSets: tables, JSON, Kubernetes objects."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from spokerender.explain.diagram import PolicyMark
from spokerender.explain.routing import place_routing
from spokerender.explain.values import PolicyStatus, RoutingStatus
from spokerender.findings.phrasing import listed, on_spokes
from spokerender.findings.results import Result
from spokerender.judging.attachment.statuses import Condition, Truth
from spokerender.judging.routing.values import (
    UNVERIFIED,
    ParentStatus,
    find_condition,
)
from spokerender.model import Ref
from spokerender.rendering.values.alike import Alike, tell_apart
from spokerender.report import terminal
from spokerender.report.reports import Look
from spokerender.report.serializing import write_conditions, write_reference

_NAMED = 3
_SHORT = 12
"""The width up to which a narrow table shows the names of spokes."""
_STYLES = {Truth.FALSE: terminal.Style.RED, Truth.UNKNOWN: terminal.Style.CYAN}
_OF_ROUTES = ("Accepted", "ResolvedRefs")
_OF_LISTENERS = ("Accepted", "Programmed", "ResolvedRefs")
# A reason that equals its type is the usual one of the Gateway API for True.
_GOOD = frozenset((*_OF_LISTENERS, "NoConflicts", "PolicyAffected"))
"""Reasons of conditions that report no problem."""
_MEMBERS = ("routes", "gateways", "listenerSets")
_SECTIONS = {"Gateway": "gateways", "ListenerSet": "listenerSets", "XListenerSet": "listenerSets"}

_TITLES = ("Accepted", "Programmed", "Resolved refs")
Row = tuple[str, ...]


class _TableRow(Struct, frozen=True):
    """A row of the wide and the narrow table: a route and one of its parents, or a listener."""

    names: Row
    conditions: tuple[Condition, ...]
    spokes: Sequence[str]
    is_silent: bool = False


def routing_lines(
    statuses: Sequence[RoutingStatus], total: int | None, look: Look
) -> Iterator[str]:
    """Yield a table of routes by parent and a table of listeners, each after an empty line."""
    routes = [
        _TableRow(_head(item, parent), parent.conditions, item.spokes, bool(parent.silent))
        for item in statuses
        for parent in item.parents
    ]
    listeners = [row for item in statuses for row in _list_listeners(item)]
    if routes:
        names: Row = ("ROUTE", "PARENT")
        header: Row = (*names, "ACCEPTED", "RESOLVED REFS", "SPOKES")
        yield from _table(header, names, routes, _OF_ROUTES, total, look)
    if listeners:
        names = ("GATEWAY", "LISTENER", "ROUTES")
        header = (*names, *map(str.upper, _TITLES), "SPOKES")
        yield from _table(header, names, listeners, _OF_LISTENERS, total, look)


def _list_listeners(status: RoutingStatus) -> Iterator[_TableRow]:
    if status.holder is None:
        return
    kind = "" if status.ref.kind == "Gateway" else f"{status.ref.kind} "
    holder = f"{kind}{status.ref.full_name}"
    for listener in status.holder.listeners:
        most = listener.attached + listener.may_attach
        # A range, since labels of namespaces that no file has decide about some routes.
        number = f"{listener.attached}" + (f" to {most}" if listener.may_attach else "")
        names = (holder, listener.name, number)
        yield _TableRow(names, listener.conditions, status.spokes)
    if not status.holder.listeners:
        yield _TableRow((holder, "-", "-"), status.holder.conditions, status.spokes)


def _table(  # noqa: PLR0913, PLR0917  (as much as a table is made of)
    header: Row,
    names: Row,
    rows: Sequence[_TableRow],
    kinds: Row,
    total: int | None,
    look: Look,
) -> Iterator[str]:
    """Yield an empty line and a table with a column for each of the `kinds` of conditions.

    In a narrow terminal, one column has the most important condition; `names` are the columns
    before it.
    """
    wide, narrow = [header], [(*names, "STATUS", "SPOKES")]
    for row in rows:
        states = [_state(row.conditions, kind, look) for kind in kinds]
        worst = _worst(row.conditions, look)
        # The controller writes no entry for this parent, so there is no condition to show.
        if row.is_silent:
            states[0] = worst = "no status"
        wide.append((*row.names, *states, name_spokes(row.spokes, total)))
        narrow.append((*row.names, worst, count_spokes(row.spokes, total)))
    yield ""
    # Without spokes a row is still about something, without its parent hardly.
    yield from terminal.fit_table(wide, narrow, look.width, ("SPOKES",))


def _head(status: RoutingStatus, parent: ParentStatus) -> Row:
    ref = parent.parent
    name = ref.name if ref.namespace == status.ref.namespace else ref.full_name
    kind = "" if ref.kind == "Gateway" else f"{ref.kind} "
    section = f"[{ref.section_name}]" if ref.section_name else ""
    port = f":{parent.port}" if parent.port is not None else ""
    return f"{status.ref.kind} {status.ref.full_name}", f"{kind}{name}{section}{port}"


def _state(conditions: tuple[Condition, ...], kind: str, look: Look) -> str:
    condition = find_condition(conditions, kind)
    if condition is None:
        return "-"
    text = str(condition.status)
    if condition.reason not in _GOOD:
        text += f": {condition.reason}"
    return paint_state(condition, text, color=look.color)


def _worst(conditions: tuple[Condition, ...], look: Look) -> str:
    """Return the reason of the most important condition: an unmet, or else an unknown one."""
    # False before Unknown: a refusal is certain, and hides what is not known.
    for status in (Truth.FALSE, Truth.UNKNOWN):
        for condition in conditions:
            if condition.status is status and condition.reason not in _GOOD:
                reason = condition.reason
                text = str(PolicyMark.UNVERIFIED) if reason == UNVERIFIED else reason
                return paint_state(condition, text, color=look.color)
    return "programmed" if find_condition(conditions, "Programmed") is not None else "accepted"


def paint_state(condition: Condition, text: str, *, color: bool) -> str:
    """Return a text about a condition in the colour of the condition's status."""
    style = _STYLES.get(condition.status)
    return terminal.paint(text, style, color=color) if style is not None else text


def name_spokes(names: Sequence[str], total: int | None) -> str:
    """Return the spokes of a row as text: `none`, `all 200`, or the first names."""
    if not names:
        return "none"
    return f"all {total:,}" if len(names) == total else listed(names, _NAMED)


def count_spokes(names: Sequence[str], total: int | None) -> str:
    """Return the spokes of a row of a narrow table: their names if short, else their number."""
    text = name_spokes(names, total)
    return text if len(text) <= _SHORT or total is None else f"{len(names):,} of {total:,}"


def routing_notes(statuses: Sequence[RoutingStatus], look: Look) -> Iterator[str]:
    """Yield the conditions that report a problem, and the findings of `check`.

    Objects that the cluster must have are notes only with `verbose`: most routes need a Service.
    """
    for status in statuses:
        notes: list[str] = []
        for where, conditions in _places(status):
            for item in conditions:
                if item.reason not in _GOOD and (look.verbose or item.reason != UNVERIFIED):
                    reason = paint_state(item, item.reason, color=look.color)
                    notes.append(f"{where}{item.type} {reason}: {item.message}")
        notes += [f"{entry.silent}" for entry in status.parents if entry.silent]
        notes += [f"policies affect it: it gets the label {name}" for name in status.labels]
        for result in status.results:
            if not any(result.message in note for note in notes):
                notes.append(finding_note(result, status.spokes, color=look.color))
        for note in dict.fromkeys(notes):
            yield f"{status.ref} ({status.origin}): {note}"


def finding_note(result: Result, spokes: Sequence[str], *, color: bool) -> str:
    """Return a finding about an object; if it is about only some of `spokes`, with their names."""
    severity = terminal.paint(
        result.severity, terminal.SEVERITY_STYLES[result.severity], color=color
    )
    # A finding may be about more spokes than the status; only the status's spokes are named.
    concerned = set(result.spokes)
    some = [name for name in spokes if name in concerned]
    where = f" ({on_spokes(some)})" if 0 < len(some) < len(spokes) else ""
    return f"{severity} {result.code}: {result.message}{where}"


def _places(status: RoutingStatus) -> Iterator[tuple[str, tuple[Condition, ...]]]:
    """Yield the conditions of a status by place, which is empty or `listener NAME: `."""
    for parent in status.parents:
        yield "", parent.conditions
    if status.holder is not None:
        for listener in status.holder.listeners:
            yield f"listener {listener.name}: ", listener.conditions
        # With listeners, these two sum up the listeners' own conditions and would repeat them.
        of_listeners = ("Accepted", "Programmed") if status.holder.listeners else ()
        yield "", tuple(item for item in status.holder.conditions if item.type not in of_listeners)
    yield "", status.affected


def routing_members(shared: Sequence[Alike[RoutingStatus]]) -> dict[str, Iterator[dict[str, Any]]]:
    """Return the JSON members routes, gateways and listenerSets; each may be empty."""
    sections: dict[str, list[Alike[RoutingStatus]]] = {name: [] for name in _MEMBERS}
    for alike in shared:
        # Only policies of a project's own kinds have targets besides these.
        name = "targets" if alike.value.affected else _SECTIONS.get(alike.value.ref.kind, "routes")
        sections.setdefault(name, []).append(alike)
    return {name: map(_member, tell_apart(each, place_routing)) for name, each in sections.items()}


def _member(status: RoutingStatus) -> dict[str, Any]:
    silent = [
        {"parentRef": _parent_ref(entry), "reason": entry.silent}
        for entry in status.parents
        if entry.silent
    ]
    member = status_member(status, status.ref, routing_status(status, with_outcomes=True))
    labels = {"labels": status.labels} if status.labels else {}
    return member | labels | ({"withoutStatus": silent} if silent else {})


def status_member(
    status: RoutingStatus | PolicyStatus, ref: Ref, written: dict[str, Any]
) -> dict[str, Any]:
    """Return a status as a JSON member, with the object's source and the findings."""
    return {
        "resourceRef": ref,
        "hub": status.hub,
        "file": status.origin,
        "spokes": status.spokes,
        "findings": status.results,
        "status": written,
    }


def status_object(
    version: str, ref: Ref, written: dict[str, Any], labels: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Return an object with its status subresource, as a cluster would show it."""
    namespace = {"namespace": ref.namespace} if ref.namespace else {}
    own = {"labels": labels} if labels else {}
    return {
        "apiVersion": version,
        "kind": ref.kind,
        "metadata": {"name": ref.name, **namespace, **own},
        **({"status": written} if written else {}),
    }


CONTROLLER = "spokerender.io/render"
"""The controller in our statuses: the Gateway API requires one, and files do not name it."""


def routing_status(status: RoutingStatus, *, with_outcomes: bool = False) -> dict[str, Any]:
    """Return the `status` in the form of the Gateway API."""
    if status.affected:
        conditions = write_conditions(status.affected, with_outcomes=with_outcomes)
        return {} if status.labels else {"conditions": conditions}
    if status.holder is None:
        return {
            "parents": [
                {
                    "parentRef": _parent_ref(entry),
                    "controllerName": CONTROLLER,
                    "conditions": write_conditions(entry.conditions, with_outcomes=with_outcomes),
                }
                for entry in status.parents
                if not entry.silent
            ]
        }
    # The API leaves the field out of a Gateway without ListenerSets.
    sets = {"attachedListenerSets": status.holder.sets} if status.holder.sets else {}
    return {
        **sets,
        "conditions": write_conditions(status.holder.conditions, with_outcomes=with_outcomes),
        "listeners": [
            {
                "name": listener.name,
                "supportedKinds": [
                    {"group": group, "kind": kind} for group, kind in listener.kinds
                ],
                "attachedRoutes": listener.attached,
                "conditions": write_conditions(listener.conditions, with_outcomes=with_outcomes),
            }
            for listener in status.holder.listeners
        ],
    }


def _parent_ref(entry: ParentStatus) -> dict[str, Any]:
    port = {"port": entry.port} if entry.port is not None else {}
    return write_reference(entry.parent) | port


def uncertain_lines(status: RoutingStatus) -> Iterator[str]:
    """Yield facts that have no field in Kubernetes: routes that may be attached as well."""
    for listener in status.holder.listeners if status.holder is not None else ():
        if listener.may_attach:
            more = listener.attached + listener.may_attach
            yield f"listener {listener.name}: up to {more} routes; labels decide that no file has"
    for entry in status.parents:
        if entry.silent:
            yield entry.silent
