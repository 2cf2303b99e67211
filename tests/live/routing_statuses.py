"""Statuses of routes, listeners and ListenerSets in one form: Envoy Gateway's, and ours."""

from collections.abc import Iterable, Iterator
from typing import Any

from spokerender.judging.attachment.statuses import Condition, Truth
from spokerender.judging.routing.values import UNVERIFIED, Routing
from spokerender.model import Ref

Json = dict[str, Any]
Key = tuple[str, ...]
"""An object's kind, namespace and name, and a parent or a listener of it."""
WHOLE = len(("kind", "namespace", "name"))
"""So long is the key of a whole object."""
Conditions = frozenset[tuple[str, str, str]]
"""Types of conditions with their statuses and reasons."""
UNCOMPARED = {
    "BackendsAvailable": "it is about endpoints, which no file has",
    "RouteRulesOverlap": "`check` warns of these (SR2231)",
    "OverlappingTLSConfig": "it is about what is in certificates",
}
"""Types of conditions that are not compared, and why."""
EQUAL, UNKNOWN = "equal", "Unknown"
OF_ABSENT = frozenset(
    {"BackendNotFound", "UnsupportedValue", "InvalidBackendTLS", "InvalidBackendFilters"}
)
"""Reasons for a Service, a filter or a certificate that is not there, or a backend's filter."""
MORE = "theirs has more reasons: of a Service or filter that no file has"


def read_written(routes: Iterable[Json], holders: Iterable[Json]) -> dict[Key, Conditions]:
    """What the translator writes, by object and parent or listener."""
    found: dict[Key, Conditions] = {}
    for route in routes:
        for entry in (route.get("status") or {}).get("parents") or ():
            parent = entry["parentRef"]
            namespace = parent.get("namespace") or route["metadata"]["namespace"]
            key = (
                *_named(route),
                f"{parent.get('kind') or 'Gateway'} {namespace}/{parent['name']}",
                f"{parent.get('sectionName') or ''}:{parent.get('port') or ''}",
            )
            found[key] = _conditions(entry)
    for holder in holders:
        status = holder.get("status") or {}
        if holder["kind"] == "Gateway":
            sets = ("attachedListenerSets", "", str(status.get("attachedListenerSets") or 0))
            # That one depends on addresses and proxies.
            own = (item for item in _conditions(status) if item[0] != "Programmed")
            found[_named(holder)] = frozenset((sets, *own))
        elif status.get("conditions"):
            found[_named(holder)] = _conditions(status)
        for entry in status.get("listeners") or ():
            attached = ("attachedRoutes", "", str(entry.get("attachedRoutes") or 0))
            kinds = ",".join(sorted(each["kind"] for each in entry.get("supportedKinds") or ()))
            more = {attached, ("supportedKinds", "", kinds)}
            found[*_named(holder), entry["name"]] = _conditions(entry) | more
    return found


def _named(data: Json) -> tuple[str, str, str]:
    metadata = data["metadata"]
    return data["kind"], metadata.get("namespace", ""), metadata["name"]


def _conditions(entry: Json) -> Conditions:
    return frozenset(
        (item["type"], item["status"], item["reason"])
        for item in entry.get("conditions") or ()
        if item["type"] not in UNCOMPARED
    )


def list_entries(routing: Routing) -> Iterator[tuple[Key, tuple[Condition, ...]]]:
    """The conditions that we say an object has, by object and parent or listener."""
    for route, parents in routing.routes.items():
        for entry in parents:
            whole = entry.parent.whole
            key = (
                *name(route),
                f"{whole.kind} {whole.namespace}/{whole.name}",
                f"{entry.parent.section_name}:{entry.port or ''}",
            )
            if not entry.silent:
                yield key, entry.conditions
    for ref, holder in routing.holders.items():
        left_out = "Programmed" if ref.kind == "Gateway" else ""
        yield name(ref), tuple(item for item in holder.conditions if item.type != left_out)
        for listener in holder.listeners:
            yield (*name(ref), listener.name), listener.conditions


def read_routing(routing: Routing) -> dict[Key, Conditions]:
    """What we say, in the same form."""
    found = {key: _told(conditions) for key, conditions in list_entries(routing)}
    for ref, holder in routing.holders.items():
        if ref.kind == "Gateway":
            found[name(ref)] |= {("attachedListenerSets", "", str(holder.sets))}
        for listener in holder.listeners:
            more = f"+{listener.may_attach}" if listener.may_attach else ""
            attached = f"{listener.attached}{more}"
            kinds = ",".join(sorted(kind for _, kind in listener.kinds))
            counts = {("attachedRoutes", "", attached), ("supportedKinds", "", kinds)}
            found[*name(ref), listener.name] |= counts
    return found


def name(ref: Ref) -> tuple[str, str, str]:
    return ref.kind, ref.namespace, ref.name


def _told(conditions: Iterable[Condition]) -> Conditions:
    return frozenset((item.type, str(item.status.value), item.reason) for item in conditions)


def compare(answer: Conditions | None, expected: Conditions | None) -> str:
    """How our answer is to theirs, condition by condition."""
    mine, other = answer or frozenset(), expected or frozenset()
    if mine == other:
        return EQUAL
    is_open = any(Truth.UNKNOWN.value == state or reason == UNVERIFIED for _, state, reason in mine)
    if is_open or _is_in_span(mine, other):
        return UNKNOWN
    reasons, others = _read_reasons(mine), _read_reasons(other)
    if reasons and reasons < others and others - reasons <= OF_ABSENT:
        return MORE
    return f"ours {_words(mine - other)}, theirs {_words(other - mine)}"


def _is_in_span(mine: Conditions, other: Conditions) -> bool:
    """Tell whether only the number of routes differs, and theirs is one that we leave open."""
    ours, theirs = mine - other, other - mine
    if {kind for kind, _, _ in ours | theirs} != {"attachedRoutes"} or not theirs:
        return False
    ((_, _, text),), ((_, _, number),) = ours, theirs
    least, _, more = text.partition("+")
    return int(least) <= int(number) <= int(least) + int(more or 0)


def _read_reasons(items: Conditions) -> frozenset[str]:
    """Read why references of a route are not resolved."""
    return frozenset(
        reason
        for kind, status, texts in items
        if (kind, status) == ("ResolvedRefs", Truth.FALSE.value)
        for reason in texts.split(",")
    )


def _words(items: Conditions) -> str:
    return " ".join(sorted(f"{kind}={status}/{reason}" for kind, status, reason in items)) or "none"
