"""The statuses of objects of the small API server: what `status` says of these as a cluster."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from spokerender.judging.attachment.statuses import Condition, Truth
from spokerender.judging.judgement import Judgement
from spokerender.judging.routing.values import HolderStatus, ListenerStatus, Routing
from spokerender.model import GATEWAY_API, Ref
from tests.live.judges import judge_objects
from tests.live.small_api import Key

Json = dict[str, Any]
NET = "127.78."
"""All addresses that Gateways can have begin so."""
_TIME = "2026-01-01T00:00:00Z"
_UNREAD = ("Pod", "Deployment", "CustomResourceDefinition")
"""Kinds whose objects say nothing about routes."""


def write_statuses(objects: list[Json]) -> Mapping[Key, Json]:
    """Return the statuses of all objects that have one, by their keys."""
    read = list_read(objects)
    judgement, routing = judge_objects(read)
    by_ref = {_ref(one): one for one in read}
    written: dict[Ref, Json] = {}
    for ref, one in by_ref.items():
        match ref.kind:
            case "GatewayClass":
                taken = Condition("Accepted", Truth.TRUE, "Accepted", "its controller is this one")
                written[ref] = {"conditions": _write(one, [taken])}
            case "Gateway" | "ListenerSet":
                written[ref] = _write_holder(one, routing.holders.get(ref), ref)
            case kind if kind.endswith("Route"):
                written[ref] = {"parents": [*_write_parents(one, ref, routing, by_ref)]}
    for ref in judgement.attachments:
        if ref in by_ref:
            ancestors = [*_write_ancestors(by_ref[ref], ref, judgement, by_ref)]
            written[ref] = {"ancestors": ancestors}
    pods = {
        ("", "pods", one["metadata"]["namespace"], one["metadata"]["name"]): {
            "phase": "Running",
            "podIPs": [{"ip": _place(one, "10.1.")}],
            "conditions": [{"type": "Ready", "status": "True"}],
        }
        for one in objects
        if one["kind"] == "Pod"
    }
    return pods | {_find_key(ref): status for ref, status in written.items()}


def list_read(objects: list[Json]) -> list[Json]:
    """List the objects that are judged, as a file may have them."""
    return [{**one, "status": {}} for one in objects if one["kind"] not in _UNREAD]


def list_addresses(gateway: Json) -> list[str]:
    """List the addresses of a Gateway: the usable ones that it asks for, or one of its own."""
    wanted = [each["value"] for each in gateway["spec"].get("addresses", ()) if each.get("value")]
    return [each for each in wanted or [_place(gateway, NET)] if each.startswith(NET)]


def _place(one: Json, net: str) -> str:
    """Return the address of an object, by its own number."""
    number = int(one["metadata"]["uid"][:4], 16)
    return f"{net}{number // 256}.{number % 256}"


def _ref(one: Json) -> Ref:
    group = one["apiVersion"].rpartition("/")[0]
    return Ref(group, one["kind"], one["metadata"].get("namespace", ""), one["metadata"]["name"])


def _find_key(ref: Ref) -> Key:
    plural = ref.kind.lower().replace("policy", "policie").replace("class", "classe") + "s"
    return ref.group, plural, ref.namespace, ref.name


def _write(one: Json, conditions: Iterable[Condition]) -> list[Json]:
    """Write conditions as an API server has them."""
    return [
        {
            "type": item.type,
            "status": str(item.status.value),
            "reason": item.reason,
            "message": item.message,
            "lastTransitionTime": _TIME,
            "observedGeneration": one["metadata"]["generation"],
        }
        for item in conditions
    ]


def _write_holder(one: Json, holder: HolderStatus | None, ref: Ref) -> Json:
    if holder is None:
        return {}
    listeners = [_write_listener(one, each) for each in holder.listeners]
    if ref.kind != "Gateway":
        return {"conditions": _write(one, holder.conditions), "listeners": listeners}
    given = list_addresses(one)
    types = {each.get("value"): each["type"] for each in one["spec"].get("addresses", ())}
    has_all = len(given) >= len(one["spec"].get("addresses", ()))
    return {
        "conditions": _write(one, _settle(holder, has_all=has_all)),
        "listeners": listeners,
        "addresses": [{"type": types.get(each, "IPAddress"), "value": each} for each in given],
        "attachedListenerSets": holder.sets,
    }


def _settle(holder: HolderStatus, *, has_all: bool) -> Iterator[Condition]:
    """Yield the conditions of a Gateway; addresses and proxies, which no file has, are these."""
    accepted = next(item.status for item in holder.conditions if item.type == "Accepted")
    state, reason = accepted, "Programmed" if accepted is Truth.TRUE else "Invalid"
    if accepted is Truth.TRUE and not has_all:
        state, reason = Truth.FALSE, "AddressNotUsable"
    for item in holder.conditions:
        is_open = item.type == "Programmed" and accepted is not Truth.UNKNOWN
        yield replace(item, status=state, reason=reason) if is_open else item


def _write_listener(one: Json, listener: ListenerStatus) -> Json:
    return {
        "name": listener.name,
        "supportedKinds": [{"group": group, "kind": kind} for group, kind in listener.kinds],
        "attachedRoutes": listener.attached,
        "conditions": _write(one, listener.conditions),
    }


def _write_parents(
    one: Json, ref: Ref, routing: Routing, by_ref: Mapping[Ref, Json]
) -> Iterator[Json]:
    """Yield the entries of a route; each has the reference as the route has it."""
    named = {_read_parent(each, ref): each for each in one["spec"].get("parentRefs", ())}
    for entry in routing.routes.get(ref, ()):
        if not entry.silent:
            yield {
                "parentRef": named[entry.parent, entry.port],
                "controllerName": _find_controller(by_ref),
                "conditions": _write(one, entry.conditions),
            }


def _read_parent(parent: Json, route: Ref) -> tuple[Ref, int | None]:
    ref = Ref(
        parent.get("group", GATEWAY_API),
        parent.get("kind", "Gateway"),
        parent.get("namespace", route.namespace),
        parent["name"],
        parent.get("sectionName", ""),
    )
    return ref, parent.get("port")


def _find_controller(by_ref: Mapping[Ref, Json]) -> str:
    """Return the controller of the class; there is one."""
    classes = (one for key, one in by_ref.items() if key.kind == "GatewayClass")
    return str(next(classes)["spec"]["controllerName"])


def _write_ancestors(
    one: Json, ref: Ref, judgement: Judgement, by_ref: Mapping[Ref, Json]
) -> Iterator[Json]:
    attachment = judgement.attachments[ref]
    conditions = tuple(filter(None, (attachment.accepted, attachment.resolved_refs)))
    entries = {each.ancestor: each.conditions for each in judgement.entries.get(ref, ())}
    for ancestor, own in (entries or dict.fromkeys(attachment.ancestors, conditions)).items():
        fields = {"group": ancestor.group, "kind": ancestor.kind, "name": ancestor.name}
        more = {"namespace": ancestor.namespace, "sectionName": ancestor.section_name}
        yield {
            "ancestorRef": fields | {key: text for key, text in more.items() if text},
            "controllerName": _find_controller(by_ref),
            "conditions": _write(one, own),
        }
