"""A spoke's view from the YAML of what it gets, and short texts of what is told of it."""

import re
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from msgspec.structs import replace

from spokerender.findings.results import Result
from spokerender.judging.advice import advise, advise_fleet
from spokerender.judging.advice.view import AdvisedObject, FleetView, JudgedSpokeView
from spokerender.judging.attachment.demands import holds_rule
from spokerender.judging.attachment.statuses import Elsewhere, Subject
from spokerender.judging.effective.compute import compute_effective_policies
from spokerender.judging.effective.outcomes import AttachedPolicy
from spokerender.judging.lookups import see_as_operator
from spokerender.judging.routing.faults import find_faults
from spokerender.judging.routing.scene import Scene
from spokerender.kinds.catalogue import Catalogue
from spokerender.model import Origin, Ref
from spokerender.model.slots import text_slot
from spokerender.topology.graph import Topology
from spokerender.topology.reading import read_node
from tests.support import stages
from tests.support.attaching import attach

CATALOGUE = Catalogue.of([])
HTTP = "{name: http, port: 80, protocol: HTTP, allowedRoutes: {namespaces: {from: All}}}"
_OF_CLASS = "gatewayClassName: hub, "
"""Left out: of a class that no file has no vendor's policies are known to count."""
GATEWAY = stages.gateway("web", listeners=f"[{HTTP}]")
ALL = "rules: [{name: all, backendRefs: [{name: shop, port: 80}]}]"
CART = stages.route("cart", spec=ALL)

EXTENSIONS = ("OIDCPolicy", "PlanPolicy", "TelemetryPolicy", "ThreatPolicy")
_SLOT = re.compile("slot-([0-9])")

Data = Mapping[str, Any]


def listener(name: str, hostname: str = "", more: str = "port: 80, protocol: HTTP") -> str:
    """A listener that routes of every namespace may attach to, in YAML's flow style."""
    host = f'hostname: "{hostname}", ' if hostname else ""
    return f"{{name: {name}, {host}{more}, allowedRoutes: {{namespaces: {{from: All}}}}}}"


def gateway(*listeners: str, name: str = "web", namespace: str = "infra") -> str:
    """A Gateway with these listeners."""
    return stages.gateway(name, namespace, listeners=f"[{', '.join(listeners)}]")


def route(name: str, spec: str = ALL, parent: str = "name: web") -> str:
    """A route of namespace `shop` on a Gateway of namespace `infra`."""
    return stages.route(name, f"[{{{parent}, namespace: infra}}]", spec=spec)


def policy(kind: str, name: str, target: str, spec: str, namespace: str = "infra") -> str:
    """A policy of Kuadrant's; `target` is as kubectl would name it: `Gateway/web/http`."""
    what, named, *section = target.split("/")
    more = f", sectionName: {section[0]}" if section else ""
    text = stages.auth(name, f"kind: {what}, name: {named}{more}", namespace, kind=kind, spec=spec)
    return text.replace("apiVersion: ", "apiVersion: extensions.") if kind in EXTENSIONS else text


def auth(name: str, target: str, spec: str = "", namespace: str = "infra") -> str:
    """An AuthPolicy, with one rule if nothing else is said."""
    return policy("AuthPolicy", name, target, spec or "rules: {authentication: {a: {}}}", namespace)


def limits(name: str, target: str, spec: str = "", namespace: str = "infra") -> str:
    """A RateLimitPolicy, with one limit if nothing else is said."""
    return policy("RateLimitPolicy", name, target, spec or "limits: {all: {}}", namespace)


def view(*documents: str, hub: Mapping[str, str] | None = None) -> JudgedSpokeView:
    """A spoke that gets these objects.

    `hub` says what some are called on the hub: `{infra/limits: edge/limits}`. In texts and in
    `hub`, `slot-1` stands for that slot.
    """
    text = stages.hub(*documents)
    if "kind: GatewayClass" not in text:
        text = text.replace(_OF_CLASS, "")
    written = (_held(data) for data in stages.values(text))
    objects = {_ref(data): data for data in written}
    topology = Topology(read_node(ref, data, CATALOGUE) for ref, data in objects.items())
    shipped = {
        ref: AdvisedObject(
            ref,
            CATALOGUE.kind(ref.group, ref.kind),
            data,
            _on_hub(ref, hub or {}),
            Origin("hub.yaml", number),
        )
        for number, (ref, data) in enumerate(objects.items())
    }
    subjects = [Subject(ref, item.kind, item.object) for ref, item in shipped.items()]
    attachments = {
        found.policy: found
        for found in attach(topology, (each for each in subjects if each.kind.is_policy))
    }
    attached = [
        AttachedPolicy(ref, shipped[ref].kind, shipped[ref].spec, found.targets)
        for ref, found in attachments.items()
        if found.is_accepted
    ]
    scene = Scene(topology, objects, {}, Elsewhere(), attachments, holds_rule, CATALOGUE)
    effective = compute_effective_policies(topology, attached)
    faults = partial(find_faults, scene)
    counted = partial(compute_effective_policies, see_as_operator(topology), attached)
    return JudgedSpokeView(topology, attachments, effective, shipped, faults, counted)


def _held(data: Any) -> Any:
    """Put slots in where the text says so: what reads YAML refuses them."""
    if isinstance(data, dict):
        return {key: _held(value) for key, value in data.items()}
    if isinstance(data, list):
        return [_held(item) for item in data]
    return (
        _SLOT.sub(lambda match: text_slot(int(match[1])), data) if isinstance(data, str) else data
    )


def _ref(data: Data) -> Ref:
    group = data["apiVersion"].rpartition("/")[0]
    metadata = data["metadata"]
    return Ref(group, data["kind"], metadata.get("namespace", ""), metadata["name"])


def _on_hub(ref: Ref, hub: Mapping[str, str]) -> Ref:
    here = {_held(spoke): name for spoke, name in hub.items()}
    namespace, _, name = here.get(f"{ref.namespace}/{ref.name}", "").partition("/")
    return replace(ref, namespace=namespace, name=name) if name else ref


def told(found: Iterable[Result], code: str) -> list[str]:
    """The findings of one code, each on a line, with its severity."""
    return [
        f"{result.severity} {line}"
        for result in found
        if result.code == code
        for line in stages.told([result], code)
    ]


def advised(code: str, *documents: str) -> list[str]:
    """What is told of a spoke, of one code."""
    return told(advise(view(*documents)), code)


def advised_fleet(code: str, **spokes: JudgedSpokeView) -> list[str]:
    """What is told of a fleet, of one code."""
    return told(advise_fleet(FleetView(spokes)), code)
