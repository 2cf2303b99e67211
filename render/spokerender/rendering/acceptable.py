"""Faults that overrides, rules and stages bring into objects, as API servers see them without CRDs.

These are few, but common: in labels, annotations, listeners and hostnames. Faults of the hub itself
are left to validation, which needs CRDs.

Sources: Kubernetes' validation of `metadata` (labels and annotations are texts under qualified
names; those of annotations may be in any case), the Gateway API's CRDs: `name`, `port` and
`protocol` of a listener are required; its name must be unique, and so must its port, protocol and
hostname together.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from spokerender.findings.codes.metapolicies import NOT_MADE
from spokerender.findings.codes.placement import BAD_VALUE
from spokerender.findings.codes.shipping import OVERRIDE_INVALID
from spokerender.findings.phrasing import describe
from spokerender.findings.results import Result
from spokerender.kinds.fields import read_value
from spokerender.kinds.marks import OF_A_SERVER
from spokerender.model import GATEWAY_API, Manifest, Ref, names
from spokerender.model.shapes import Json
from spokerender.model.slots import ask_fault, consult, has_slot
from spokerender.rendering.values.placement import Override, Rule
from spokerender.topology.node import PARENTS
from spokerender.topology.objects import find_list_fault, find_ref_fault, is_never_shipped

_LAST_PORT = 65535
_CLUSTERS_OWN = OF_A_SERVER | {"generateName"}
"""Fields for which API servers refuse an object, or delete it because its owner is absent."""
_NEEDED = {
    "name": "a DNS name",
    "port": f"a whole number from 1 to {_LAST_PORT}",
    "protocol": "a string such as HTTP",
}


def check_override(
    override: Override, ref: Ref, before: Mapping[str, Any], after: Mapping[str, Any]
) -> tuple[Result, ...]:
    """Return the faults of an object that an override caused: `after` has them, `before` not."""
    cure = "correct the override, or the spoke's labels and values that it uses"
    return tuple(
        override.result(
            OVERRIDE_INVALID, message, _cure_number(message) or cure, override.change, ref
        )
        for message in _made(ref, before, after)
    )


def _cure_number(message: str) -> str:
    """Return a fix if `message` says that a number or boolean must be a string; otherwise empty."""
    rule, _, value = message.partition(", but is ")
    # The value of an expression keeps its type: a number in the placement is one in the object.
    is_scalar = value.startswith(("the number ", "true", "false"))
    if not (is_scalar and rule.endswith(("must be a string", "must be a string such as HTTP"))):
        return ""
    return (
        "make it a string: end the expression in `| string`, as in "
        '"{{ spoke.values.NAME | string }}", or put quotes around the value'
    )


def check_rule(
    rule: Rule, ref: Ref, before: Mapping[str, Any], after: Mapping[str, Any]
) -> tuple[Result, ...]:
    """Return the faults of a Gateway that `as.listeners` caused: `after` has them, `before` not."""
    cure = "correct the listeners, or the spoke's labels and values that they use"
    return tuple(
        rule.result(BAD_VALUE, message, _cure_number(message) or cure, ("as", "listeners"), ref)
        for message in _made(ref, before, after)
    )


def check_stages(manifest: Manifest, shipped: Manifest) -> tuple[Result, ...]:
    """Return the faults of `shipped` that stages caused; if a stage created it, all its faults."""
    places = [edit.place for edit in shipped.edits if edit.place is not None]
    if not places:
        return ()
    # If a stage created the object, all faults are the stage's.
    ref, before = shipped.ref, manifest.object if manifest.written is not None else {}
    wrong = list(_made(manifest.ref, before, shipped.object))
    if manifest.written is None:
        wrong += filter(
            None, (_unmade(ref), consult(_names_fault, ref.group, ref.namespace, ref.name))
        )
    cure = "correct what makes it so"
    return tuple(
        NOT_MADE.result(message, cure=cure, resource=manifest.ref, origin=places[-1]())
        for message in wrong
    )


def _unmade(ref: Ref) -> str:
    """Return why no stage can create an object of this kind; empty if a stage can."""
    if is_never_shipped(ref):
        return f"a {ref.kind} is never rendered"
    return names.group_fault(ref.group) or names.kind_fault(ref.group, ref.kind)


def _names_fault(group: str, namespace: str, name: str) -> str:
    # A name with slots is checked again with the values of each spoke (`consult`).
    return "" if has_slot(namespace + name) else find_ref_fault(Ref(group, "", namespace, name))


def _made(ref: Ref, before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[str, ...]:
    # An earlier fault is the hub's, not the change's. Most objects have no fault after a change,
    # and then the object before the change is not checked.
    new = tuple(dict.fromkeys(_faults(ref, after)))
    old = set(_faults(ref, before)) if new else set()
    return tuple(message for message in new if message not in old)


def _faults(ref: Ref, data: Mapping[str, Any]) -> Iterator[str]:
    """Yield texts about an object's faults; they have no list indices, since items may be moved."""
    version = data.get("apiVersion")
    if isinstance(version, str) and (wrong := ask_fault(names.api_version_fault, version)):
        yield f"apiVersion: {wrong}"
    if wrong := find_list_fault(data):
        yield wrong
    # Sorted: a set has no order, and findings must not vary.
    for key in sorted(_CLUSTERS_OWN.intersection(read_value(data, ("metadata",)) or ())):
        yield f"metadata.{key} is the cluster's own, and no object is applied with it"
    yield from _texts(data, "labels", names.label_key_fault, names.label_value_fault)
    yield from _texts(data, "annotations", lambda key: names.label_key_fault(key.lower()))
    if (ref.group, ref.kind) in PARENTS:
        yield from _listeners(read_value(data, ("spec", "listeners")))
    if ref.group == GATEWAY_API:
        yield from _hostnames(read_value(data, ("spec", "hostnames")))


def _texts(
    data: Mapping[str, Any],
    field: str,
    key_fault: Callable[[str], str],
    value_fault: Callable[[str], str] | None = None,
) -> Iterator[str]:
    pairs = read_value(data, ("metadata", field))
    if pairs is not None and not isinstance(pairs, Mapping):
        yield f"metadata.{field} must be a mapping, but is {describe(pairs)}"
        return
    for key, value in (pairs or {}).items():
        if wrong := key_fault(key):
            yield f"metadata.{field}: {wrong}"
        if not isinstance(value, str):
            yield f"metadata.{field}: {key} must be a string, but is {describe(value)}"
        elif value_fault is not None and (wrong := ask_fault(value_fault, value)):
            yield f"metadata.{field}: {key}: {wrong}"


def _listeners(listeners: Json) -> Iterator[str]:
    if not isinstance(listeners, list):
        if listeners is not None:
            yield f"spec.listeners must be a list, but is {describe(listeners)}"
        return
    by_name: set[Any] = set()
    by_door: dict[tuple[str, ...], Any] = {}
    for listener in listeners:
        if not isinstance(listener, Mapping):
            yield f"a listener must be a mapping, but is {describe(listener)}"
            continue
        name = listener.get("name")
        # Listeners that lack a port or protocol would all be equal in that.
        if wrong := tuple(_listener(listener)):
            yield from wrong
            continue
        if name in by_name:
            yield f'two listeners are named "{name}"'
        by_name.add(name)
        # By `repr`: a value may be of any type, also one that can't be hashed, and 80 is not "80".
        door = tuple(repr(listener.get(key)) for key in ("port", "protocol", "hostname"))
        if (other := by_door.setdefault(door, name)) != name:
            yield f'listeners "{other}" and "{name}" have one port, protocol and hostname'


def _listener(listener: Mapping[str, Any]) -> Iterator[str]:
    named = f'listener "{listener.get("name", "")}"'
    for key, requirement in _NEEDED.items():
        if listener.get(key) is None:
            yield f"{named} has no {key}"
        elif not _fits(key, listener[key]):
            yield f"{named}: {key} must be {requirement}, but is {describe(listener[key])}"
    hostname = listener.get("hostname")
    if hostname is not None and (wrong := _hostname(hostname)):
        yield f"{named}: hostname: {wrong}"


def _fits(key: str, value: object) -> bool:
    if key == "port":
        is_number = isinstance(value, int) and not isinstance(value, bool)
        return is_number and consult(_is_port, str(value))
    if not isinstance(value, str) or not value:
        return False
    return key != "name" or not ask_fault(names.subdomain_fault, value)


def _hostnames(hostnames: Json) -> Iterator[str]:
    if hostnames is None:
        return
    if not isinstance(hostnames, list):
        yield f"spec.hostnames must be a list, but is {describe(hostnames)}"
        return
    for hostname in hostnames:
        if wrong := _hostname(hostname):
            yield f"spec.hostnames: {wrong}"


def _hostname(hostname: object) -> str:
    if not isinstance(hostname, str):
        return f"must be a string, but is {describe(hostname)}"
    return ask_fault(names.hostname_fault, hostname)


def _is_port(text: str) -> bool:
    return has_slot(text) or 1 <= int(text) <= _LAST_PORT
