"""What attaches to what, said a second time and in another way: slowly, and from objects alone.

Read off the Gateway API's own documents and the catalogue of vendors' CRDs; it knows neither the
table of kinds nor nodes, links and slots.
"""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from spokerender.model import GATEWAY_API
from tests.property.hubs import Object
from tests.property.shapes import Shape
from tests.property.vendors import CLASS_LABEL, DELEGATED, NAME_LABEL

Key = tuple[str, str, str, str]
"""Group, kind, namespace and name."""

HTTP = {"HTTP", "HTTPS"}
PROTOCOLS = {"HTTPRoute": HTTP, "GRPCRoute": HTTP, "TLSRoute": {"TLS"}, "TCPRoute": {"TCP", "TLS"}}
ROUTE_KINDS = {*PROTOCOLS, "UDPRoute"}


class Bond(Struct, frozen=True):
    """One thing that an object attaches to; `hostname` is a route's, by its place, if it has any.

    `by` is the route over which a backend is reached, or that names the object. `field` is where
    the object says so, empty where it is the route that does.
    """

    thing: Key
    section: str = ""
    hostname: int = -1
    by: Key | None = None
    field: str = ""


def key_of(item: Object) -> Key:
    """Who an object is."""
    group = item["apiVersion"].rpartition("/")[0]
    metadata = item["metadata"]
    return group, item["kind"], metadata.get("namespace", ""), metadata["name"]


def meet(one: str, other: str) -> bool:
    """Whether two hostnames have a name in common; none at all is every name."""
    if not one or not other:
        return True
    if one.startswith("*.") and other.startswith("*."):
        return one.endswith(other[1:]) or other.endswith(one[1:])
    wild, plain = (one, other) if one.startswith("*.") else (other, one)
    return plain.endswith(wild[1:]) if wild.startswith("*.") else wild == plain


class Cluster:
    """Objects, and what is known besides: labels of namespaces, and which gateways are its own."""

    def __init__(
        self, items: Sequence[Object], zones: Mapping[str, str], every: Sequence[Shape]
    ) -> None:
        """Take them as they are."""
        self.items = {key_of(item): item for item in items}
        self._zones = zones
        self._shapes: dict[tuple[str, str], list[Shape]] = {}
        for shape in every:
            self._shapes.setdefault((shape.group, shape.kind), []).append(shape)

    def bonds(self, item: Object) -> set[Bond]:
        """Everything that an object attaches to."""
        group, kind, _, _ = key_of(item)
        spec = item.get("spec") or {}
        found: set[Bond] = set()
        if group == GATEWAY_API and kind in {*ROUTE_KINDS, "ListenerSet"}:
            entries = spec.get("parentRefs", []) or [spec.get("parentRef")]
            places = "spec.parentRefs[{}]" if "parentRefs" in spec else "spec.parentRef"
            for index, entry in enumerate(entry for entry in entries if entry):
                found |= set(self._of_parent(item, entry, places.format(index)))
        for shape in self._shapes.get((group, kind), []):
            if shape.key not in spec:
                continue
            for index, entry in enumerate(spec[shape.key] if shape.is_list else [spec[shape.key]]):
                field = f"spec.{shape.key}" + (f"[{index}]" if shape.is_list else "")
                found |= set(self._of_entry(item, shape, entry, field))
        found |= set(self._of_labels(item))
        return found | {Bond(route, by=route) for route in self._carriers(key_of(item))}

    # Routes and ListenerSets.

    def _of_parent(self, item: Object, entry: Object, field: str) -> Iterator[Bond]:
        _, kind, own, _ = key_of(item)
        named = entry.get("group", GATEWAY_API), entry.get("kind", "Gateway")
        thing = (*named, entry.get("namespace", own), entry["name"])
        parent = self.items.get(thing)
        if parent is None or (kind in ROUTE_KINDS and named[1] in ROUTE_KINDS):
            return
        if kind == "ListenerSet":
            allowed = parent["spec"].get("allowedListeners", {}).get("namespaces", {})
            if self._admits(allowed.get("from", "None"), thing[2], own, allowed):
                yield Bond(thing, field=field)
            return
        for listener in self.meant(parent, entry):
            for index in range(len(item["spec"].get("hostnames", []))) or (-1,):
                if self.serves(listener, thing, item, index):
                    yield Bond(thing, listener["name"], index, field=field)

    @staticmethod
    def meant(parent: Object, entry: Object) -> list[Object]:
        """The listeners that an entry means."""
        return [
            listener
            for listener in parent["spec"].get("listeners", [])
            if entry.get("sectionName") in (None, listener["name"])
            and (entry.get("port") is None or listener.get("port") in (None, entry["port"]))
        ]

    def serves(self, listener: Object, parent: Key, item: Object, index: int) -> bool:
        """Whether a listener of a parent takes a route, for its hostname of that place."""
        group, kind, own, _ = key_of(item)
        known = {protocol for each in (*PROTOCOLS.values(), {"UDP"}) for protocol in each}
        protocol = listener.get("protocol", "")
        of_kind = PROTOCOLS.get(kind, known) if group == GATEWAY_API else known
        if protocol in known and protocol not in of_kind:
            return False
        allowed = listener.get("allowedRoutes", {}).get("namespaces", {})
        if not self._admits(allowed.get("from", "Same"), parent[2], own, allowed):
            return False
        return index < 0 or meet(listener.get("hostname", ""), item["spec"]["hostnames"][index])

    def _admits(
        self, source: str, parent: str, own: str, allowed: Object, *, unknown: bool = True
    ) -> bool:
        """Whether labels let a namespace in; `unknown` is said of one whose labels nobody tells."""
        if source == "Selector":
            wanted = allowed["selector"]["matchLabels"]["zone"]
            return bool(self._zones[own] == wanted) if own in self._zones else unknown
        return source == "All" or (source == "Same" and parent == own)

    # Policies.

    def _of_entry(self, item: Object, shape: Shape, entry: Object, field: str) -> Iterator[Bond]:
        own = item["metadata"].get("namespace", "")
        if "matchLabels" in shape.fields:
            for thing in self._selected(item, entry):
                yield from self._sections(thing, entry, field)
            return
        group = entry.get("group", shape.defaults.get("group", ""))
        kind = entry.get("kind", shape.defaults.get("kind", ""))
        thing = (group, kind, entry.get("namespace") or own, entry["name"])
        if shape.key == "parentRefs":
            yield from self._of_parent(item, entry, field) if group == GATEWAY_API else ()
            return
        if thing in self.items:
            yield from self._sections(thing, entry, field)
        if kind not in ROUTE_KINDS:
            for route in self._carriers(thing):
                yield Bond(thing, by=route, field=field)

    def _sections(self, thing: Key, entry: Object, field: str) -> Iterator[Bond]:
        spec = self.items[thing].get("spec") or {}
        section = entry.get("sectionName", "")
        known = [each["name"] for each in spec.get("listeners", [])]
        if not section or "listeners" not in spec or section in known:
            yield Bond(thing, section, field=field)

    def _selected(self, item: Object, entry: Object) -> Iterator[Key]:
        own = item["metadata"]["namespace"]
        looked = entry.get("namespaces", {})
        for thing, other in self.items.items():
            if thing[:2] != (entry.get("group", GATEWAY_API), entry["kind"]):
                continue
            labels = other["metadata"].get("labels") or {}
            wanted = entry["matchLabels"].items() <= labels.items()
            for expression in entry.get("matchExpressions", []):
                wanted &= labels.get(expression["key"]) not in expression["values"]
            source = looked.get("from", "Same")
            is_in = self._admits(source, own, thing[2], looked, unknown=False)
            if wanted and is_in and self._may(item, thing):
                yield thing

    def _may(self, item: Object, thing: Key) -> bool:
        """Whether an object may have something of another namespace (GEP-709)."""
        group, kind, own, _ = key_of(item)
        return thing[2] == own or any(
            grant["metadata"]["namespace"] == thing[2]
            and {"group": group, "kind": kind, "namespace": own} in grant["spec"]["from"]
            and any((to["group"], to["kind"]) == thing[:2] for to in grant["spec"]["to"])
            for key, grant in self.items.items()
            if key[1] == "ReferenceGrant"
        )

    def _of_labels(self, item: Object) -> Iterator[Bond]:
        """By the labels that everything has that a gateway generates; peers are no targets."""
        own = item["metadata"].get("namespace", "")
        for key in ("selector", "podSelector"):
            labels = ((item.get("spec") or {}).get(key) or {}).get("matchLabels") or {}
            if labels and not {NAME_LABEL, CLASS_LABEL} & labels.keys():
                yield Bond(("", "Pod", own, ""), field=f"spec.{key}.matchLabels")
            for label, value in labels.items():
                field = f"spec.{key}.matchLabels"
                for thing, other in self.items.items():
                    is_there = thing[:3] == (GATEWAY_API, "Gateway", own)
                    if label == NAME_LABEL and is_there and thing[3] == value:
                        yield Bond(thing, field=field)
                    named = labels.get(NAME_LABEL, thing[3]) == thing[3]
                    has_class = (
                        other["spec"].get("gatewayClassName") == value if is_there else False
                    )
                    if label == CLASS_LABEL and is_there and named and has_class:
                        yield Bond(thing, field=f"{field} class")

    # Routes that name others.

    def _carriers(self, thing: Key) -> Iterator[Key]:
        for key, item in self.items.items():
            if key[0] == GATEWAY_API and key[1] in ROUTE_KINDS and self._names(item, thing):
                yield key

    def _names(self, route: Object, thing: Key) -> bool:
        own = route["metadata"]["namespace"]
        for rule in route["spec"].get("rules", []):
            for each in rule.get("filters", []):
                extension = each["extensionRef"]
                if (extension["group"], extension["kind"], own, extension["name"]) == thing:
                    return True
            for backend in rule.get("backendRefs", []):
                if self._is_backend(route, backend, thing):
                    return True
        return False

    def _is_backend(self, route: Object, backend: Object, thing: Key) -> bool:
        group, kind = backend.get("group", ""), backend.get("kind", "Service")
        space = backend.get("namespace", route["metadata"]["namespace"])
        if kind not in {"HTTPRoute", "label"}:
            return (group, kind, space, backend["name"]) == thing
        child = self.items.get(thing)
        if child is None or thing[:2] != (GATEWAY_API, "HTTPRoute"):
            return False
        if kind == "label":
            labels = child["metadata"].get("labels") or {}
            is_meant = labels.get(f"{DELEGATED}/label") == backend["name"]
            is_meant &= space in ("all", thing[2])
        else:
            is_meant = thing[2] == space and backend["name"] in ("*", thing[3])
        parents = child["spec"].get("parentRefs", [])
        keys = [
            (
                entry.get("group", GATEWAY_API),
                entry.get("kind", "Gateway"),
                entry.get("namespace", thing[2]),
                entry["name"],
            )
            for entry in parents
        ]
        return is_meant and (not parents or key_of(route) in keys)
