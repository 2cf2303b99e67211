"""Hubs for the laws: gateways, ListenerSets, routes, policies of many shapes, and bystanders.

Few names, so that objects of different kinds share them: what is told apart only by kind,
group or namespace is where retargeting goes wrong.
"""

from collections.abc import Callable, Iterable
from typing import Any

from hypothesis import strategies as st

from spokerender.model import GATEWAY_API
from tests.property.texts import free, strings

Object = dict[str, Any]
Draw = Callable[[st.SearchStrategy[Any]], Any]

NAMESPACES, NAMES, SERVICES = ("infra", "shop"), ("web", "api"), ("web", "cart")
LISTENERS = ("http", "https", "admin")
HOSTNAMES = ("*.example.com", "www.example.com", "*.int.example.com", "shop.example.org")
GATEWAY_NAME = "gateway.networking.k8s.io/gateway-name"
EG, ISTIO, APISIX = "gateway.envoyproxy.io", "security.istio.io", "apisix.apache.org"

KINDS = (
    *((GATEWAY_API, kind) for kind in ("HTTPRoute", "GRPCRoute", "TCPRoute", "ListenerSet")),
    *(("kuadrant.io", kind) for kind in ("AuthPolicy", "RateLimitPolicy", "DNSPolicy")),
    *((EG, "SecurityPolicy"), (ISTIO, "AuthorizationPolicy"), (APISIX, "Consumer")),
    *((GATEWAY_API, "BackendTLSPolicy"), ("monitoring.coreos.com", "PodMonitor")),
    ("example.com", "Widget"),
)
"""The kinds that are synced."""


@st.composite
def hubs(draw: Draw) -> list[Object]:
    """Objects of a hub that hang together; most of what they name is there."""
    gateways = [_gateway(draw, *place) for place in draw(_identities(1, 3))]
    sets = [_listener_set(draw, draw(st.sampled_from(gateways))) for _ in range(draw(_few(1)))]
    parents = gateways + sets
    at_least = draw(_few(3))
    routes = [_route(draw, *place, parents=parents) for place in draw(_identities(at_least, 4))]
    routes = list({(r["kind"], *_place(r)): r for r in routes}.values())
    policies = [
        draw(st.sampled_from(_SHAPES))(draw, f"p{number}", parents, routes)
        for number in range(draw(st.integers(1, 6)))
    ]
    return gateways + sets + routes + policies + _bystanders(draw, gateways)


def _few(most: int) -> st.SearchStrategy[int]:
    return st.integers(0, most)


def _identities(least: int, most: int) -> st.SearchStrategy[list[tuple[str, str]]]:
    place = st.tuples(st.sampled_from(NAMESPACES), st.sampled_from(NAMES))
    return st.lists(place, min_size=least, max_size=most, unique=True)


def made(kind: str, namespace: str, name: str, spec: Any, **metadata: Any) -> Object:
    """An object; `kind` as `group/version/Kind` or `version/Kind`."""
    api_version, _, short = kind.rpartition("/")
    return {
        "apiVersion": api_version,
        "kind": short,
        "metadata": {"name": name, "namespace": namespace, **metadata},
        "spec": spec,
    }


def _place(item: Object) -> tuple[str, str]:
    return item["metadata"]["namespace"], item["metadata"]["name"]


def _gateway(draw: Draw, namespace: str, name: str) -> Object:
    names = draw(st.lists(st.sampled_from(LISTENERS), min_size=1, unique=True))
    spec = {
        "gatewayClassName": draw(st.sampled_from(["hub", "istio"])),
        "listeners": [_listener(draw, listener) for listener in names],
        "allowedListeners": {"namespaces": {"from": "All"}},
    }
    marks = {"labels": {"app": name, "tier": draw(st.sampled_from(["gold", "silver"]))}}
    return made(f"{GATEWAY_API}/v1/Gateway", namespace, name, spec, **marks)


def _listener(draw: Draw, name: str) -> Object:
    listener: Object = {"name": name, "port": 443, "protocol": "HTTPS"}
    if hostname := draw(st.sampled_from([None, None, None, *HOSTNAMES])):
        listener["hostname"] = hostname
    source = draw(st.sampled_from(["All", "All", "All", "Same", "Selector"]))
    selector = {"selector": {"matchLabels": {"kubernetes.io/metadata.name": "shop"}}}
    namespaces = {"from": source} | (selector if source == "Selector" else {})
    certificate = {"name": "cert"} | draw(st.sampled_from([{}, {}, {"namespace": "shop"}]))
    return listener | {
        "allowedRoutes": {"namespaces": namespaces},
        "tls": {"certificateRefs": [certificate]},
    }


def _listener_set(draw: Draw, gateway: Object) -> Object:
    namespace = draw(st.sampled_from(NAMESPACES))
    spec = {
        "parentRef": _named(draw, gateway, namespace, says_namespace=True),
        "listeners": [_listener(draw, "extra")],
    }
    return made(f"{GATEWAY_API}/v1/ListenerSet", namespace, "more", spec)


def _named(
    draw: Draw, item: Object, own: str, *, says_namespace: bool, spelled: bool = True
) -> Object:
    """A reference to an object: with group and kind or by default, with namespace or without."""
    namespace, name = _place(item)
    reference: Object = {}
    if spelled or item["kind"] != "Gateway" or draw(st.booleans()):
        group = item["apiVersion"].rpartition("/")[0]
        reference = {"group": group, "kind": item["kind"]}
    reference["name"] = name
    if says_namespace and (namespace != own or draw(st.booleans())):
        reference["namespace"] = namespace
    return reference


def _with_section(draw: Draw, reference: Object, item: Object) -> Object:
    sections = [entry["name"] for entry in item["spec"].get("listeners", [])]
    section = draw(st.sampled_from([None, *sections]))
    return reference | ({"sectionName": section} if section else {})


def _route(draw: Draw, namespace: str, name: str, *, parents: list[Object]) -> Object:
    kind = draw(st.sampled_from(["v1/HTTPRoute", "v1/HTTPRoute", "v1/GRPCRoute", "v1/TCPRoute"]))
    chosen = draw(st.lists(st.sampled_from(parents), min_size=1, max_size=2, unique_by=id))
    entries = [
        _with_section(
            draw, _named(draw, parent, namespace, says_namespace=True, spelled=False), parent
        )
        for parent in chosen
    ]
    if draw(st.sampled_from([False, False, True])):
        entries.append({"group": "", "kind": "Service", "name": draw(st.sampled_from(SERVICES))})
    backends = [{"name": draw(st.sampled_from(SERVICES)), "port": 80}]
    spec: Object = {"parentRefs": entries, "rules": [{"backendRefs": backends}]}
    if not kind.endswith("TCPRoute"):
        found = st.sampled_from(["www.example.com", "a.int.example.com"])
        spec["hostnames"] = draw(st.lists(found, min_size=1, max_size=2, unique=True))
    return made(f"{GATEWAY_API}/{kind}", namespace, name, spec)


def _kuadrant(draw: Draw, name: str, parents: list[Object], routes: list[Object]) -> Object:
    kind = draw(st.sampled_from(["v1/AuthPolicy", "v1/RateLimitPolicy", "v1/DNSPolicy"]))
    target = draw(st.sampled_from([*parents, *routes]))
    namespace, _ = _place(target)
    reference = _with_section(draw, _named(draw, target, namespace, says_namespace=False), target)
    spec = {"targetRef": reference, "extra": draw(free), "text": draw(strings)}
    marks = {"annotations": {"note": draw(strings)}} if draw(st.booleans()) else {}
    return made(f"kuadrant.io/{kind}", namespace, name, spec, **marks)


def _target_refs(draw: Draw, name: str, parents: list[Object], routes: list[Object]) -> Object:
    """Several targets beside each other, of which some may be strangers."""
    kind = draw(
        st.sampled_from([f"{EG}/v1alpha1/SecurityPolicy", f"{ISTIO}/v1/AuthorizationPolicy"])
    )
    target = draw(st.sampled_from([*parents, *routes]))
    namespace, _ = _place(target)
    beside = [item for item in [*parents, *routes] if _place(item)[0] == namespace]
    others = draw(st.lists(st.sampled_from(beside), max_size=1, unique_by=id))
    chosen = {id(item): item for item in [target, *others]}.values()
    entries = [_named(draw, item, namespace, says_namespace=False) for item in chosen]
    return made(kind, namespace, name, {"targetRefs": entries, "extra": draw(free)})


def _selecting(draw: Draw, name: str, parents: list[Object], _: list[Object]) -> Object:
    namespace, app = _place(draw(st.sampled_from(parents)))
    entry = {"group": GATEWAY_API, "kind": "Gateway", "matchLabels": {"app": app}}
    return made(f"{EG}/v1alpha1/SecurityPolicy", namespace, name, {"targetSelectors": [entry]})


def _labelled(draw: Draw, name: str, parents: list[Object], _: list[Object]) -> Object:
    namespace, gateway = _place(draw(st.sampled_from(parents)))
    kind = draw(
        st.sampled_from([f"{ISTIO}/v1/AuthorizationPolicy", "monitoring.coreos.com/v1/PodMonitor"])
    )
    return made(kind, namespace, name, {"selector": {"matchLabels": {GATEWAY_NAME: gateway}}})


def _consumer(draw: Draw, name: str, parents: list[Object], _: list[Object]) -> Object:
    gateway = draw(st.sampled_from([item for item in parents if item["kind"] == "Gateway"]))
    namespace = draw(st.sampled_from(NAMESPACES))
    reference = _named(draw, gateway, namespace, says_namespace=True, spelled=False)
    return made(f"{APISIX}/v1alpha1/Consumer", namespace, name, {"gatewayRef": reference})


def _of_backend(draw: Draw, name: str, _: list[Object], __: list[Object]) -> Object:
    namespace = draw(st.sampled_from(NAMESPACES))
    entry = {"group": "", "kind": "Service", "name": draw(st.sampled_from(SERVICES))}
    return made(f"{GATEWAY_API}/v1/BackendTLSPolicy", namespace, name, {"targetRefs": [entry]})


def _unknown(draw: Draw, name: str, parents: list[Object], routes: list[Object]) -> Object:
    target = draw(st.sampled_from([*parents, *routes]))
    namespace, _ = _place(target)
    reference = _named(draw, target, namespace, says_namespace=False)
    return made("example.com/v1/Widget", namespace, name, {"targetRef": reference})


_SHAPES = (
    *(_kuadrant, _kuadrant, _target_refs, _target_refs),
    *(_selecting, _labelled, _consumer, _of_backend, _unknown),
)


def _bystanders(draw: Draw, gateways: Iterable[Object]) -> list[Object]:
    """What does not ship, or only with a gateway."""
    froms = [
        {"group": GATEWAY_API, "kind": "Gateway", "namespace": namespace}
        for namespace in sorted({_place(gateway)[0] for gateway in gateways})
    ]
    to = [{"group": "", "kind": "Secret"}]
    stranger = made("networking.istio.io/v1/Gateway", "infra", "web", {"selector": {"app": "web"}})
    choices = [
        made("v1/ConfigMap", "infra", "web", None, labels={"app": "web"}),
        made("v1/Secret", "infra", "web", None),
        made("v1/Service", "shop", "web", {"selector": {"app": "web"}}),
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}},
        made("example.com/v1/Thing", "", "bare", {"gateway": "web"}),
        stranger,
    ]
    chosen: list[Object] = draw(st.lists(st.sampled_from(choices), max_size=3, unique_by=id))
    grant = made(
        f"{GATEWAY_API}/v1beta1/ReferenceGrant", "shop", "certs", {"from": froms, "to": to}
    )
    return chosen + ([grant] if draw(st.sampled_from([True, True, True, False])) else [])
