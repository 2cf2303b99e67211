"""What a spoke must get, said a second time and in another way.

It knows only the kinds and shapes of `tests.property.hubs`, and neither overrides nor errors.
"""

import copy
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from spokerender.model import GATEWAY, Ref
from tests.property.attachments import meet
from tests.property.fleets import Fleet
from tests.property.hubs import GATEWAY_NAME, Object
from tests.property.laws import ref_of
from tests.property.references import LISTS, SINGLES, entries, labelled, named
from tests.support import end_to_end as e2e

ROUTES = {"HTTPRoute", "GRPCRoute", "TCPRoute"}
STAYING = {*ROUTES, "ListenerSet"}
SYNCED = {"kuadrant.io/policy-synced": "true"}


@dataclass(frozen=True)
class Place:
    """What a Gateway becomes on one spoke; `hub` is it as it was."""

    hub: Object
    rule: Object
    as_: Object

    @property
    def name(self) -> str:
        """Its name on the spoke."""
        return str(self.as_.get("name", self.hub["metadata"]["name"]))

    @property
    def namespace(self) -> str:
        """Its namespace on the spoke."""
        prefix = "kuadrant-" if self.as_.get("naming") == "kuadrant-mgc" else ""
        return str(self.as_.get("namespace", prefix + self.hub["metadata"]["namespace"]))

    def hostname(self, hostname: str) -> str:
        """An exact key first, then the longest wildcard."""
        rules: Mapping[str, str] = self.as_.get("hostnames", {})
        if hostname in rules:
            return rules[hostname]
        fitting = [key for key in rules if key[:2] == "*." and hostname.endswith(key[1:])]
        if not fitting:
            return hostname
        key = max(fitting, key=len)
        return hostname.removesuffix(key[2:]) + rules[key][2:]


def evaluated(value: Any, context: Mapping[str, Any]) -> Any:
    """A rule's `as` with its expressions, which are paths only, replaced by what they name."""
    if isinstance(value, Mapping):
        return {key: evaluated(item, context) for key, item in value.items()}
    if not isinstance(value, str):
        return value

    def look_up(match: re.Match[str]) -> str:
        found: Any = context
        for step in match[1].split("."):
            found = found[step]
        return str(found)

    return re.sub(r"\{\{ ([a-z.]+) \}\}", look_up, value)


def chosen(rule: Object, spoke: Object) -> bool:
    """Whether the rule means the spoke, of the selections that are generated."""
    spokes = rule["spokes"]
    if "selector" not in spokes:
        return spoke["name"] in spokes.get("names", [spoke["name"]])
    (expression,) = spokes["selector"].get("matchExpressions", [{"operator": "In"}])
    return bool((spoke["labels"]["tier"] == "prod") == (expression["operator"] == "In"))


@dataclass
class Oracle:
    """One spoke of a fleet."""

    fleet: Fleet
    spoke: Object
    hub: dict[Ref, Object] = field(init=False)
    placed: dict[Ref, Place] = field(init=False)

    def __post_init__(self) -> None:
        """Find out which rule places which Gateway."""
        read = [item for text in self.fleet.texts for item in e2e.parsed(text.encode())]
        items = [item for entry in read for item in entry.get("items", [entry])]
        for item in items:
            if item["kind"] != "Namespace":
                item["metadata"].setdefault("namespace", "default")
        self.hub = {ref_of(item): item for item in items}
        self.placed = {}
        for rule in self.fleet.rules:
            for ref in self._meant(rule) if chosen(rule, self.spoke) else ():
                context = {"spoke": self.spoke, "gateway": self.hub[ref]["metadata"]}
                self.placed[ref] = Place(self.hub[ref], rule, evaluated(rule["as"], context))

    def _meant(self, rule: Object) -> Iterable[Ref]:
        """The Gateways of a rule: one by name, or all of one label, which is their name here."""
        gateways = rule["gateways"]
        if "names" in gateways:
            namespace, _, name = gateways["names"][0].partition("/")
            return (Ref(*GATEWAY, namespace, name),)
        name = gateways["selector"]["matchLabels"]["app"]
        return [ref for ref in self.hub if (ref.group, ref.kind, ref.name) == (*GATEWAY, name)]

    def objects(self) -> list[Object]:
        """Everything that the spoke gets."""
        made = (self._made(ref, item) for ref, item in self.hub.items())
        items = [item for item in made if item is not None]
        names = {str(item["metadata"]["namespace"]) for item in items}
        return items + [_namespace(name) for name in names if self.fleet.namespaces == "create"]

    def _made(self, ref: Ref, item: Object) -> Object | None:
        if (ref.group, ref.kind) == GATEWAY:
            place = self.placed.get(ref)
            return _gateway(place) if place and place.rule.get("mode") != "existing" else None
        if ref.kind == "ReferenceGrant":
            return self._grant(item)
        on = {gateway for _, entry in entries(item) for gateway in self._on(item, entry)}
        on |= {gateway for gateway in self._selected(item) if gateway in self.placed}
        if (ref.group, ref.kind) not in self.fleet.listed or not on:
            return None
        return self._attached(item, [self.placed[gateway] for gateway in on])

    def gateways(self, ref: Ref) -> set[Ref]:
        """The hub's Gateways that an object hangs on, at any distance."""
        seen, todo = {ref}, [ref]
        while todo:
            more = self._targets(todo.pop()) - seen
            seen |= more
            todo += more
        return {found for found in seen if (found.group, found.kind) == GATEWAY}

    def _targets(self, ref: Ref) -> set[Ref]:
        item = self.hub.get(ref)
        if item is None or (ref.group, ref.kind) == GATEWAY:
            return set()
        found = set(self._selected(item))
        for _, entry in entries(item):
            target = named(item, entry)
            carriers = self._carriers(target)
            found |= carriers or ({target} & self.hub.keys())
        return found

    def _carriers(self, service: Ref) -> set[Ref]:
        """The routes that send requests to a Service."""
        return {
            ref
            for ref, item in self.hub.items()
            if ref.kind in ROUTES
            and ref.namespace == service.namespace
            and service.kind == "Service"
            for rule in item["spec"]["rules"]
            for backend in rule["backendRefs"]
            if backend["name"] == service.name
        }

    def _selected(self, item: Object) -> Iterable[Ref]:
        selectors = (item.get("spec") or {}).get("targetSelectors", [])
        wanted = {selector["matchLabels"]["app"] for selector in selectors}
        for ref, other in self.hub.items():
            beside = ref.namespace == item["metadata"].get("namespace")
            labels = other["metadata"].get("labels", {})
            if beside and (ref.group, ref.kind) == GATEWAY and labels.get("app") in wanted:
                yield ref

    def _on(self, item: Object, entry: Object) -> set[Ref]:
        """The placed Gateways that an entry leads to; over a Service, by routes that ship."""
        target = named(item, entry)
        carriers = self._carriers(target)
        shipped = {ref for ref in carriers if (ref.group, ref.kind) in self.fleet.listed}
        found = {gateway for ref in shipped for gateway in self.gateways(ref)}
        return (found if carriers else self.gateways(target)) & self.placed.keys()

    def _dropped(self, item: Object, entry: Object) -> bool:
        """It leads to Gateways of the hub, and none of them is on the spoke."""
        target = named(item, entry)
        reached = {
            gateway
            for ref in self._carriers(target) or {target}
            for gateway in self.gateways(ref) & self.hub.keys()
        }
        return not reached <= self.placed.keys() and not self._on(item, entry)

    def _attached(self, item: Object, here: list[Place]) -> Object:
        made = copy.deepcopy(item)
        made["metadata"]["namespace"] = namespace = self._namespace(item)
        spec, before = made["spec"], item["spec"]
        for key in LISTS:
            if key in before:
                kept = [entry for entry in before[key] if not self._dropped(item, entry)]
                spec[key] = [self._entry(item, entry, namespace) for entry in kept]
        for key in SINGLES:
            if key in before:
                spec[key] = self._entry(item, before[key], namespace)
        if name := labelled(item):
            place = self.placed[named(item, {"name": name})]
            spec["selector"]["matchLabels"][GATEWAY_NAME] = place.name
        if item["kind"] in ROUTES and "hostnames" in spec:
            names = spec["hostnames"]
            spec["hostnames"] = [_one(name, self._serving(item, name, here)) for name in names]
        for listener in spec.get("listeners", []):
            if "hostname" in listener:
                listener["hostname"] = _one(listener["hostname"], here)
        if item["apiVersion"].startswith("kuadrant.io/"):
            made["metadata"]["annotations"] = made["metadata"].get("annotations", {}) | SYNCED
        return made

    def _serving(self, route: Object, hostname: str, here: list[Place]) -> list[Place]:
        """Those of the gateways that can serve a hostname on the hub; all, if none can."""
        able: set[Ref] = set()
        for _, entry in entries(route):
            target = named(route, entry)
            for listener in self.hub.get(target, {}).get("spec", {}).get("listeners", []):
                is_meant = entry.get("sectionName") in (None, listener["name"])
                if is_meant and meet(listener.get("hostname", ""), hostname):
                    able |= self.gateways(target)
        return [place for place in here if ref_of(place.hub) in able] or here

    def _namespace(self, item: Object) -> str:
        """A policy is where its gateway is; whatever says a namespace stays."""
        own = str(item["metadata"]["namespace"])
        if item["kind"] in STAYING:
            return own
        targets = [named(item, entry) for _, entry in entries(item)]
        targets += self._selected(item)
        moved = {
            self.placed[target].namespace
            for target in targets
            if target in self.placed and target.namespace == own
        }
        return moved.pop() if len(moved) == 1 else own

    def _entry(self, item: Object, entry: Object, namespace: str) -> Object:
        place = self.placed.get(named(item, entry))
        if place is None:
            return entry
        made = entry | {"name": place.name}
        if "namespace" in entry or place.namespace != namespace:
            made["namespace"] = place.namespace
        return made

    def _grant(self, item: Object) -> Object | None:
        froms = []
        for entry in item["spec"]["from"]:
            landed = dict.fromkeys(
                self.placed[ref].namespace
                for ref in sorted(self.placed)
                if ref.namespace == entry["namespace"]
            )
            froms += [entry | {"namespace": namespace} for namespace in landed]
        return item | {"spec": item["spec"] | {"from": froms}} if froms else None


def _namespace(name: str) -> Object:
    """One that neither engine may prune."""
    kept = {
        "argocd.argoproj.io/sync-options": "Prune=false,Delete=false",
        "kustomize.toolkit.fluxcd.io/prune": "disabled",
    }
    return {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": name, "annotations": kept},
    }


def _one(hostname: str, here: list[Place]) -> str:
    found = {place.hostname(hostname) for place in here}
    assert len(found) == 1
    return found.pop()


def _gateway(place: Place) -> Object:
    made = copy.deepcopy(place.hub)
    made["metadata"] |= {"name": place.name, "namespace": place.namespace}
    managed = {"kuadrant.io/managed": "true"} if place.as_.get("naming") else {}
    for key, marks in (("labels", managed), ("annotations", {})):
        wanted = {**made["metadata"].get(key, {}), **marks, **place.as_.get(key, {})}
        if wanted:
            made["metadata"][key] = {k: v for k, v in wanted.items() if v is not None}
    if "gatewayClassName" in place.as_:
        made["spec"]["gatewayClassName"] = place.as_["gatewayClassName"]
    for listener in made["spec"]["listeners"]:
        if "hostname" in listener:
            listener["hostname"] = place.hostname(listener["hostname"])
    return made
