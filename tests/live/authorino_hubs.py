"""Random hubs with AuthPolicies that let in some callers, and the requests of these callers.

Gateways and routes are those of `kuadrant_hubs`. Drawn are anonymous callers, API keys in two
places, tokens of one issuer, what a caller says of itself (`plain`); authorization by patterns in
CEL and in Authorino's own words, and in Rego; conditions of rules and of whole policies; responses
to the refused; all of it bare, as defaults and as overrides, atomic or merged.

Never drawn: predicates that fail, and that are refused (`kuadrant_hubs` has these); several API
keys or issuers; other ways of authentication (certificates, token reviews, introspection) and of
authorization (SubjectAccessReviews, SpiceDB); metadata from elsewhere, callbacks, caches and
priorities; what is added to requests that are let in; other kinds of policies.
"""

from collections.abc import Iterator
from random import Random
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from spokerender.formats import yamlio
from spokerender.topology.matches import ANONYMOUS, Request
from tests.live.kuadrant_hubs import (
    CLASSES,
    age,
    attach,
    make_class,
    make_gateway,
    make_named,
    make_request,
    make_route,
)
from tests.support.texts import rows_of

Json = dict[str, Any]
ISSUER = "http://issuer.example"
"""The issuer of all tokens; the judge has another one in its place, on loopback."""
KEY_HEADER = "x-api-key"
SECRET: Json = rows_of(__file__, "secret")
WRITTEN = "'refused ' + request.method"
"""The text of some responses to the refused."""
ROLES = ("admin", "user")
REFUSALS = ("unauthenticated", "unauthorized")
REQUESTS = 12
"""Requests to each Gateway."""
MEANT = 0.7
"""So many of them are for a rule of a route."""


class Sent(Struct, frozen=True):
    """A caller: its word in `ask --as`, its key, and the claim of its token, if it has one."""

    word: str = ANONYMOUS
    key: str = ""
    role: str = ""
    is_forged: bool = False


CALLERS = [Sent(**row) for row in rows_of(__file__, "callers")]


def authorino_hub(random: Random) -> list[Json]:
    """A hub of one to two Gateways with routes, and AuthPolicies for parts of them."""
    of_class = random.choice(list(CLASSES))
    gateways = [make_gateway(random, f"g{n}", of_class) for n in range(random.choice((1, 1, 2)))]
    routes = [make_route(random, f"r{n}", gateways) for n in range(random.randrange(1, 5))]
    targets = [*gateways, *routes]
    policies = [
        attach(random, _make_policy(random, f"p{n}"), random.choice(targets))
        for n in range(random.randrange(1, 7))
    ]
    return [make_class(of_class), *(age(random, each) for each in (*targets, *policies))]


def _make_policy(random: Random, name: str) -> Json:
    proper: Json = {"rules": _make_rules(random, random.choice((name, "shared")))}
    if "patternRef" in str(proper) or random.random() < 0.1:
        proper["patterns"] = {"named": {"allOf": [_draw(random, "patterns")]}}
    if random.random() < 0.25:
        proper["when"] = [_draw(random, "conditions")]
    how = random.choice(("", "", "defaults", "overrides"))
    strategy = random.choice(("atomic", "merge"))
    body = {how: {"strategy": strategy, **proper}} if how else proper
    return make_named("AuthPolicy", "v1", name, body)


def _make_rules(random: Random, own: str) -> Json:
    rules: Json = {}
    if random.random() < 0.85:
        ways = (_make_rule(random, "authentication") for _ in range(random.choice((1, 1, 2))))
        rules["authentication"] = {f"{own}-{number}": way for number, way in enumerate(ways)}
    if random.random() < 0.5 or not rules:
        rules["authorization"] = {own: _make_rule(random, "authorization")}
    response = {name: _draw(random, "responses") for name in REFUSALS if random.random() < 0.25}
    return {**rules, "response": response} if response else rules


def _make_rule(random: Random, part: str) -> Json:
    condition = {"when": [_draw(random, "conditions")]} if random.random() < 0.2 else {}
    return {**_draw(random, part), **condition}


def _draw(random: Random, part: str) -> Json:
    drawn: Json = random.choice(rows_of(__file__, part))
    return drawn


def list_requests(hub: list[Json]) -> Iterator[tuple[str, Request]]:
    """Yield requests to each Gateway: half of them for a rule of a route, and random ones."""
    random = Random(yamlio.emit([one for one in hub if one["kind"] == "Gateway"]))
    routes = [one["spec"] for one in hub if one["kind"].endswith("Route")]
    for gateway in hub:
        for _ in range(REQUESTS if gateway["kind"] == "Gateway" else 0):
            listener = random.choice(gateway["spec"]["listeners"])
            scheme = listener["protocol"].lower()
            request = replace(make_request(random), scheme=scheme, port=listener["port"])
            if routes and random.random() < MEANT:
                request = _aim(random, request, random.choice(routes), listener)
            yield gateway["metadata"]["name"], request


def _aim(random: Random, request: Request, spec: Json, listener: Json) -> Request:
    """A request that a rule of a route is for, or nearly."""
    names = spec.get("hostnames") or [listener.get("hostname", request.host)]
    host = random.choice(names).replace("*", "b")
    match = random.choice(random.choice(spec["rules"]).get("matches") or [{}])
    path, method = match.get("path", {}).get("value", "/pay"), match.get("method", request.method)
    if isinstance(method, dict):
        path = f"/{method.get('service', 'any')}/{method.get('method', 'Add')}"
        method = "POST"
    is_plain = path.replace("/", "").replace(".", "").isalnum() or path == "/"
    headers = {each["name"].lower(): each["value"] for each in match.get("headers", ())}
    path = path if is_plain else request.path
    return replace(
        request, host=host, path=path, method=method, headers={**request.headers, **headers}
    )
