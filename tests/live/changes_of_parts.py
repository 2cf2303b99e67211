"""Changes of what stands inside objects: TLS, filters, weights, timeouts, and what they name."""

from collections.abc import Callable
from random import Random
from typing import Any

from tests.live.choosing import choose, of
from tests.live.hub_policies import ENVOY, FEATURES
from tests.live.hub_routes import HTTP_ROUTES, NAMESPACES, ROUTES, backend, http_filters
from tests.live.hubs import BACKENDS, backends, client_validation, filters, gateway_tls

Json = dict[str, Any]
Hub = list[Json]
LATER = "2026-01-02T00:00:00Z"
"""When objects come that are new, or have another name."""
_HOLDERS = ("Gateway", "ListenerSet")
UNPLACED = "judge/unplaced"
"""An annotation of Gateways that the placement sends to no spoke."""


def _choose_rule(random: Random, hub: Hub, *kinds: str) -> tuple[Json, Json] | None:
    """A route and one of its rules."""
    pairs = [(one, each) for one in of(hub, *kinds) for each in one["spec"]["rules"]]
    return random.choice(pairs) if pairs else None


def edit_listener_tls(random: Random, hub: Hub) -> bool:
    """Change the certificates of a listener, or whether it ends TLS."""
    listeners = [each for one in of(hub, *_HOLDERS) for each in one["spec"]["listeners"]]
    each = choose(random, [each for each in listeners if "tls" in each])
    tls = each["tls"]
    how = random.randrange(5)
    certificates = tls.get("certificateRefs")
    if how == 0 and each["protocol"] == "TLS":
        is_ended = tls.get("mode") == "Terminate"
        each["tls"] = {"mode": "Passthrough" if is_ended else "Terminate"}
        if not is_ended:
            each["tls"]["certificateRefs"] = [_certificate("tls")]
    elif certificates is None:
        return False
    elif how == 1:
        certificates.append(_certificate(random.choice(("gone", "users", "keys"))))
    elif how == 2:
        certificates[0]["name"] = random.choice(("gone", "users", "tls"))
    elif how == 3:
        certificates[0]["namespace"] = random.choice(list(NAMESPACES))
    elif len(certificates) > 1:
        certificates.pop(random.randrange(len(certificates)))
    return True


def _certificate(name: str) -> Json:
    return {"group": "", "kind": "Secret", "name": name}


def edit_gateway_tls(random: Random, hub: Hub) -> bool:
    """Change how a Gateway checks its clients, or shows itself to backends."""
    one = random.choice(of(hub, "Gateway"))
    tls = one["spec"].pop("tls", {})
    frontend = tls.get("frontend", {})
    default = frontend.get("default", {})
    how = random.randrange(5)
    if how == 0:
        tls = gateway_tls(random)
    elif how == 1 and default.get("validation"):
        modes = ("AllowValidOnly", "AllowInsecureFallback")
        default["validation"]["mode"] = random.choice(modes)
    elif how == 2 and default.get("validation"):
        frontend["default"] = client_validation(random)
    elif how == 3:
        port = {"port": random.choice((443, 8443)), "tls": client_validation(random)}
        tls["frontend"] = {"default": {}, **frontend, "perPort": [port]}
    if tls:
        one["spec"]["tls"] = tls
    return True


def edit_filters(random: Random, hub: Hub) -> bool:
    """Change the filters of a rule, or take some away."""
    pair = _choose_rule(random, hub, *HTTP_ROUTES)
    if pair is None or "backendRefs" not in pair[1]:
        return False
    route, each = pair
    own = each.get("filters")
    how = random.randrange(3)
    if own and how == 0:
        own.pop(random.randrange(len(own)))
    elif own and how == 1:
        own.reverse()
    else:
        made = http_filters(random, route["kind"])
        if any(one["type"] == "RequestRedirect" for one in made):
            return False
        each["filters"] = made
    return True


def edit_extension(random: Random, hub: Hub) -> bool:
    """Change what a filter or a backend of Envoy Gateway's says, under its name."""
    text = str([one["spec"] for one in of(hub, *ROUTES, *FEATURES)])
    own = [
        one
        for one in of(hub, "HTTPRouteFilter", "Backend")
        if f"'name': '{one['metadata']['name']}'" in text
    ]
    one = choose(random, own)
    make = filters if one["kind"] == "HTTPRouteFilter" else backends
    one["spec"] = random.choice(make(one["metadata"]["namespace"]))["spec"]
    return True


def edit_waiting(random: Random, hub: Hub) -> bool:
    """Change how long a rule waits, how often it tries, and whether it keeps to a backend."""
    pair = _choose_rule(random, hub, "HTTPRoute")
    if pair is None:
        return False
    key, value = random.choice(
        (
            ("timeouts", {"request": "9s"}),
            ("timeouts", {"request": "9s", "backendRequest": "3s"}),
            ("retry", {"attempts": 4, "codes": [503]}),
            ("sessionPersistence", {"sessionName": "t", "type": "Cookie"}),
        )
    )
    if key in pair[1] and random.random() < 0.5:
        del pair[1][key]
    else:
        pair[1][key] = value
    return True


def edit_weights(random: Random, hub: Hub) -> bool:
    """Change the shares of the backends of a rule; one gets nothing, or another one comes."""
    pair = _choose_rule(random, hub, *ROUTES)
    if pair is None or not pair[1].get("backendRefs"):
        return False
    references = pair[1]["backendRefs"]
    how = random.randrange(4)
    if how == 0:
        random.choice(references)["weight"] = random.choice((0, 1, 2, 9))
    elif how == 1:
        for each in references:
            each["weight"] = 3 * each.get("weight", 1)
    elif how == 2:
        references.reverse()
    else:
        references.append(backend(random, pair[0]["kind"]))
    return True


def switch_backends(_: Random, hub: Hub) -> bool:
    """Let the controller read Backends, or not any more (`enableBackend` of its settings)."""
    own = next(one for one in of(hub, "GatewayClass") if one["metadata"]["name"] == "eg")
    annotations = own["metadata"].setdefault("annotations", {})
    is_on = annotations.get(BACKENDS, "true") == "true"
    annotations[BACKENDS] = str(not is_on).lower()
    return True


def add_rival(random: Random, hub: Hub) -> bool:
    """Give a policy or a ListenerSet a rival that comes before it or after it by its name."""
    own = of(hub, "ListenerSet", "SecurityPolicy", "BackendTrafficPolicy", "ClientTrafficPolicy")
    one = choose(random, own)
    name = random.choice(("a0", "z9"))
    metadata = {**one["metadata"], "name": name, "creationTimestamp": LATER}
    spec = {**one["spec"]}
    if one["kind"] != "ListenerSet":
        number, make = random.choice(list(enumerate(FEATURES[one["kind"]])))
        first = 10 * [*FEATURES].index(one["kind"]) + number
        spec |= make(random, 20000 + 100 * first + random.randrange(20, 90))
    hub.append({**one, "metadata": metadata, "spec": spec})
    return True


def replace_by_equal(random: Random, hub: Hub) -> bool:
    """Rename a policy or a ListenerSet so that it comes first by name, though it is the newest."""
    one = choose(random, of(hub, "ListenerSet", *FEATURES))
    one["metadata"] = {**one["metadata"], "name": "a0", "creationTimestamp": LATER}
    return True


def edit_proxy(random: Random, hub: Hub) -> bool:
    """Give a Gateway parameters of its own, or take them away."""
    if any("mergeGateways" in one["spec"] for one in of(hub, "EnvoyProxy")):
        return False
    one = random.choice(of(hub, "Gateway"))
    if one["spec"].pop("infrastructure", None) is None:
        name = random.choice(("plain", "certified", "uncertified"))
        parameters = {"group": ENVOY, "kind": "EnvoyProxy", "name": name}
        one["spec"]["infrastructure"] = {"parametersRef": parameters}
    return True


def unplace(random: Random, hub: Hub) -> bool:
    """Have the placement send a Gateway to no spoke any more."""
    placed = [one for one in of(hub, "Gateway") if is_placed(one)]
    if len(placed) > 1:
        random.choice(placed)["metadata"]["annotations"] = {UNPLACED: "true"}
    return len(placed) > 1


def is_placed(one: Json) -> bool:
    """Tell whether the spoke gets an object, as far as a placement decides."""
    return UNPLACED not in one["metadata"].get("annotations", {})


PARTS: tuple[Callable[[Random, Hub], bool], ...] = (
    *(edit_listener_tls, edit_listener_tls, edit_gateway_tls, edit_gateway_tls),
    *(edit_filters, edit_filters, edit_extension, edit_waiting, edit_weights, edit_weights),
    *(switch_backends, add_rival, add_rival, replace_by_equal, replace_by_equal, edit_proxy),
    *(unplace, unplace),
)
