"""Further changes that people make: of proxies, ports, backends, limits, and who may call."""

from collections.abc import Callable
from copy import deepcopy
from functools import partial
from random import Random
from typing import Any

from tests.live.changes_of_parts import LATER
from tests.live.changes_of_policies import list_bare_references
from tests.live.choosing import choose, of
from tests.live.hub_policies import FEATURES, GATEWAY_API, TARGETS
from tests.live.hub_routes import HTTP_ROUTES, NAMESPACES, ROUTES, ROUTES_OF, backend, http_filter

Json = dict[str, Any]
Hub = list[Json]
_HOLDERS = ("Gateway", "ListenerSet")
_PORTS = (80, 81, 443, 8080, 8443, 9000, 9443)


def _listeners(hub: Hub) -> list[tuple[Json, Json]]:
    return [(one, each) for one in of(hub, *_HOLDERS) for each in one["spec"]["listeners"]]


def edit_listener_port(random: Random, hub: Hub) -> bool:
    """Give a listener another port."""
    one, each = random.choice(_listeners(hub))
    each["port"] = random.choice(_PORTS)
    listeners = one["spec"]["listeners"]
    doors = [(item["port"], item["protocol"], item.get("hostname")) for item in listeners]
    return len(doors) == len(set(doors))


def edit_listener_protocol(random: Random, hub: Hub) -> bool:
    """Let a listener take TLS, or not any more."""
    one, each = random.choice(_listeners(hub))
    if each["protocol"] == "HTTP":
        each["protocol"] = "HTTPS"
        certificate = {"group": "", "kind": "Secret", "name": "tls"}
        each["tls"] = {"mode": "Terminate", "certificateRefs": [certificate]}
    elif each["protocol"] == "HTTPS":
        each["protocol"] = "HTTP"
        del each["tls"]
    else:
        return False
    listeners = one["spec"]["listeners"]
    doors = [(item["port"], item["protocol"], item.get("hostname")) for item in listeners]
    return len(doors) == len(set(doors))


def edit_admitted_kinds(random: Random, hub: Hub) -> bool:
    """Let a listener admit other kinds of routes, or all."""
    _, each = random.choice(_listeners(hub))
    if each["allowedRoutes"].pop("kinds", None) is None:
        kind = random.choice(ROUTES_OF[each["protocol"]])
        each["allowedRoutes"]["kinds"] = [{"group": GATEWAY_API, "kind": kind}]
    return True


def move_target(random: Random, hub: Hub) -> bool:
    """Hang a policy on a part of something, whatever that is, in its namespace."""
    one = choose(random, of(hub, "SecurityPolicy", "BackendTrafficPolicy", "ClientTrafficPolicy"))
    kinds = TARGETS.get(one["kind"], (*_HOLDERS, *ROUTES))
    parts = [
        (each, part["name"])
        for each in of(hub, *kinds)
        for part in each["spec"].get("listeners") or each["spec"]["rules"]
        if "name" in part and each["metadata"]["namespace"] == one["metadata"]["namespace"]
    ]
    target, section = choose(random, parts)
    for key in ("targetRef", "targetSelectors"):
        one["spec"].pop(key, None)
    if not target["kind"].endswith("Route"):
        one["spec"].pop("mergeType", None)
    name = target["metadata"]["name"]
    reference = {"group": GATEWAY_API, "kind": target["kind"], "name": name}
    one["spec"]["targetRefs"] = [reference | {"sectionName": section}]
    return True


def edit_callers(random: Random, hub: Hub) -> bool:
    """Change who may call by a SecurityPolicy: one more way in, one less, another order."""
    spec = choose(random, of(hub, "SecurityPolicy"))["spec"]
    edits: list[Callable[[], object]] = []
    if "jwt" in spec:
        providers = spec["jwt"]["providers"]
        more = {**deepcopy(providers[0]), "name": "more", "issuer": "https://more.example"}
        edits += [lambda: providers.append(more)] if len(providers) < 2 else [providers.pop]
        edits += [lambda: providers[0].update(audiences=["one", "two", "three"])]
    if "basicAuth" in spec:
        secret = {"group": "", "kind": "Secret", "name": "users"}
        edits += [lambda: spec["basicAuth"].update(users=secret | {"name": "keys"})]
    if "apiKeyAuth" in spec:
        secret = {"group": "", "kind": "Secret", "name": "users"}
        edits += [
            lambda: spec["apiKeyAuth"]["credentialRefs"].append(secret),
            lambda: spec["apiKeyAuth"]["extractFrom"].append({"params": ["k"]}),
        ]
    if "authorization" in spec:
        rules = spec["authorization"]["rules"]
        edits += [
            rules.clear,
            lambda: rules.insert(0, _rule("Deny", "10.0.0.128/25")),
            lambda: rules.append(_rule("Allow", "0.0.0.0/0")),
            lambda: rules.append(_rule("Deny", "0.0.0.0/0")),
            *(partial(one["principal"]["clientCIDRs"].append, "10.9.0.0/16") for one in rules),
        ]
    if "extAuth" in spec:
        edits += [lambda: spec["extAuth"].update(recomputeRoute=True)]
    edits += [lambda: spec.update(authorization={"defaultAction": "Allow", "rules": []})]
    random.choice(edits)()
    return True


def _rule(action: str, cidr: str) -> Json:
    return {"action": action, "principal": {"clientCIDRs": [cidr]}}


def edit_limits(random: Random, hub: Hub) -> bool:
    """Change what a BackendTrafficPolicy limits: where it counts, whom, how much."""
    own = [one for one in of(hub, "BackendTrafficPolicy") if "rateLimit" in one["spec"]]
    spec = choose(random, own)["spec"]
    limit = spec["rateLimit"]
    side = "local" if limit.get("type") == "Local" else "global"
    if side not in limit:
        return False
    rules = limit[side]["rules"]
    how = random.randrange(6)
    if how == 0:
        other = "global" if side == "local" else "local"
        spec["rateLimit"] = {"type": other.title(), other: {"rules": rules}}
    elif how == 1:
        both = "global" if side == "local" else "local"
        limit.setdefault(both, {"rules": deepcopy(rules[:1])})
    elif how == 2:
        rules.append({"limit": {"requests": 5, "unit": random.choice(("Second", "Minute"))}})
    elif how == 3 and len(rules) > 1:
        rules.pop(random.randrange(len(rules)))
    elif how == 4:
        value = random.choice(("a", "b"))
        rules[0]["clientSelectors"] = [{"headers": [{"name": "x-one", "value": value}]}]
    else:
        address = {"type": random.choice(("Exact", "Distinct")), "value": "10.0.0.0/16"}
        rules[0]["clientSelectors"] = [{"sourceCIDR": address}]
    return True


def edit_parameters(random: Random, hub: Hub) -> bool:
    """Change the parameters of a proxy: TLS to backends, the order of filters, and others."""
    named = str([one["spec"] for one in of(hub, "Gateway", "GatewayClass")])
    own = [one for one in of(hub, "EnvoyProxy") if f"'name': '{one['metadata']['name']}'" in named]
    spec = choose(random, own)["spec"]
    key, value = random.choice(
        (
            ("backendTLS", {"minVersion": "1.3"}),
            ("backendTLS", {"alpnProtocols": ["http/1.1"]}),
            ("concurrency", 2),
            ("ipFamily", "IPv4"),
            ("logging", {"level": {"default": "debug"}}),
            ("routingType", "Service"),
            (
                "filterOrder",
                [{"name": "envoy.filters.http.rbac", "before": "envoy.filters.http.cors"}],
            ),
            ("preserveRouteOrder", True),
        )
    )
    if spec.get(key) == value:
        del spec[key]
    else:
        spec[key] = value
    return True


def edit_backend_filters(random: Random, hub: Hub) -> bool:
    """Change the filters of a backend of a rule."""
    own = [
        (one, each)
        for one in of(hub, *HTTP_ROUTES)
        for rule in one["spec"]["rules"]
        for each in rule.get("backendRefs", ())
    ]
    one, each = choose(random, own)
    if each.pop("filters", None) is None:
        name = random.choice(("header", "response"))
        each["filters"] = [http_filter(random, one["kind"], name)]
    return True


def copy_backends(random: Random, hub: Hub) -> bool:
    """Send the requests of a rule where those of another rule go, or to a mirror as well."""
    own = [
        (one, each)
        for one in of(hub, *ROUTES)
        for each in one["spec"]["rules"]
        if each.get("backendRefs")
    ]
    one, each = choose(random, own)
    if one["kind"] in HTTP_ROUTES and random.random() < 0.4:
        each.setdefault("filters", []).append(http_filter(random, one["kind"], "mirror"))
    else:
        each["backendRefs"] = [backend(random, one["kind"]) for _ in range(2)]
    return True


def rename_service(random: Random, hub: Hub) -> bool:
    """Rename a Service with its endpoints, and what names it in its namespace."""
    own = [one for one in of(hub, "Service") if one["metadata"]["name"] == "backend"]
    one = choose(random, own)
    namespace = one["metadata"]["namespace"]
    one["metadata"]["name"] = "renamed"
    for other in hub:
        if other["metadata"].get("namespace") != namespace:
            continue
        if other["kind"] == "EndpointSlice":
            other["metadata"]["labels"] = {"kubernetes.io/service-name": "renamed"}
        for reference in list_bare_references(other.get("spec")):
            if reference["kind"] == "Service" and reference["name"] == "backend":
                reference["name"] = "renamed"
    return True


def rename_parameters(random: Random, hub: Hub) -> bool:
    """Rename the parameters of a Gateway with the reference to them."""
    one = choose(random, [one for one in of(hub, "Gateway") if "infrastructure" in one["spec"]])
    reference = one["spec"]["infrastructure"]["parametersRef"]
    proxies = [
        each
        for each in of(hub, "EnvoyProxy")
        if each["metadata"]["name"] == reference["name"]
        and each["metadata"]["namespace"] == one["metadata"]["namespace"]
    ]
    if not proxies:
        return False
    copy = deepcopy(proxies[0])
    copy["metadata"]["name"] = reference["name"] = f"{reference['name']}-more"
    hub.append(copy)
    return True


def move_all_policies(random: Random, hub: Hub) -> bool:
    """Make the policies of one kind anew, under other names: their order by age is another one."""
    kinds = sorted({one["kind"] for one in of(hub, *FEATURES)})
    if not kinds:
        return False
    own = of(hub, random.choice(kinds))
    for number, one in enumerate(reversed(own)):
        one["metadata"] |= {"name": f"q{number}", "creationTimestamp": LATER}
    return True


def edit_authorities(random: Random, hub: Hub) -> bool:
    """Change by what a BackendTLSPolicy knows a backend, or for which ports it is."""
    spec = choose(random, of(hub, "BackendTLSPolicy"))["spec"]
    validation = spec["validation"]
    how = random.randrange(4)
    if how == 0:
        validation.pop("caCertificateRefs", None)
        validation["wellKnownCACertificates"] = "System"
    elif how == 1:
        validation.pop("wellKnownCACertificates", None)
        validation["caCertificateRefs"] = [{"group": "", "kind": "ConfigMap", "name": "ca"}]
    elif how == 2:
        validation["hostname"] = "other.example"
    else:
        reference = random.choice(spec["targetRefs"])
        if reference.pop("sectionName", None) is None and reference["kind"] == "Service":
            reference["sectionName"] = random.choice(("http", "more"))
    return True


def edit_grant_subject(random: Random, hub: Hub) -> bool:
    """Let a ReferenceGrant be for another namespace, another kind, or one object."""
    spec = choose(random, of(hub, "ReferenceGrant"))["spec"]
    how = random.randrange(3)
    if how == 0:
        spec["from"][0]["namespace"] = random.choice(list(NAMESPACES))
    elif how == 1:
        spec["from"].append({**spec["from"][0], "namespace": random.choice(list(NAMESPACES))})
    elif spec["to"][0].pop("name", None) is None:
        spec["to"][0]["name"] = random.choice(("backend", "gone", "tls"))
    return True


def edit_backend(random: Random, hub: Hub) -> bool:
    """Change a Backend's addresses, or how it is known, under its name."""
    text = str([one["spec"] for one in of(hub, *ROUTES, *FEATURES)])
    own = [
        one
        for one in of(hub, "Backend")
        if f"'name': '{one['metadata']['name']}'" in text and "endpoints" in one["spec"]
    ]
    spec = choose(random, own)["spec"]
    address = {"ip": {"address": "10.0.0.10", "port": 8080}}
    how = random.randrange(4)
    if how == 0:
        spec["endpoints"] = [address]
    elif how == 1:
        spec["endpoints"] = [*spec["endpoints"], address]
    elif how == 2:
        spec["tls"] = {"insecureSkipVerify": True}
    elif spec.pop("tls", None) is None:
        spec["tls"] = {"wellKnownCACertificates": "System", "sni": "outside.example"}
    return True


OF_OBJECTS: tuple[Callable[[Random, Hub], bool], ...] = (
    *(edit_listener_port, edit_listener_protocol, edit_admitted_kinds, move_target, move_target),
    *(edit_callers, edit_callers, edit_callers, edit_limits, edit_limits, edit_parameters),
    *(edit_backend_filters, copy_backends, rename_service, rename_parameters, move_all_policies),
    *(edit_authorities, edit_authorities, edit_grant_subject, edit_backend),
)
