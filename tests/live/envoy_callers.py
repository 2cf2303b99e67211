"""Callers of a rule: what each sends to be let in, and how policies of Envoy Gateway answer it."""

import re
from collections.abc import Iterator
from ipaddress import ip_address, ip_network
from typing import Any

from msgspec import Struct

from spokerender.explain.answered import AnsweringRule
from spokerender.judging.effective.outcomes import join_rules
from spokerender.topology.matches import ANONYMOUS, Request
from tests.live.envoy_credentials import API_KEY, basic, token

Json = dict[str, Any]
INSIDE, OUTSIDE = "10.0.0.5", "10.0.9.5"
_ASKING = {"apiKeyAuth": "apiKey", "basicAuth": "basic", "jwt": "jwt"}
"""What a SecurityPolicy asks for, by its fields; a service that is asked lets in basic here."""


class Caller(Struct, frozen=True):
    """A caller: where it is, and the credentials that it shows, all of them right ones or none.

    One of a page of another `origin` asks first whether it may read the answer.
    """

    has: frozenset[str] = frozenset()
    is_right: bool = True
    source: str = INSIDE
    origin: str = ""
    has_certificate: bool = True

    @property
    def credential(self) -> str:
        """The word of `ask --as` for it; empty if there is none."""
        if self.origin or not self.is_right or len(self.has) > 1:
            return ""
        return next(iter(self.has), ANONYMOUS)


NOBODY = Caller()


def read_spec(rule: AnsweringRule, kind: str) -> Json:
    """What policies of a kind ask, as one spec."""
    return join_rules(one.rule for item in rule.policies if item.kind == kind for one in item.rules)


def asks_certificate(rule: AnsweringRule) -> bool:
    """Tell whether clients need a certificate by a policy."""
    return "clientValidation" in read_spec(rule, "ClientTrafficPolicy").get("tls", {})


def list_callers(rule: AnsweringRule) -> Iterator[Caller]:
    """Yield the callers for which a rule's answers may differ."""
    yield NOBODY
    if asks_certificate(rule):
        yield Caller(has_certificate=False)
    spec = read_spec(rule, "SecurityPolicy")
    kinds = frozenset(word for field, word in _ASKING.items() if field in spec)
    kinds |= {"basic"} if "extAuth" in spec else set()
    for some in {frozenset({one}) for one in kinds} | ({kinds} - {frozenset()}):
        yield Caller(some)
        yield Caller(some, is_right=False)
    if "authorization" in spec:
        yield Caller(kinds, source=OUTSIDE)
    origins = list_origins(rule)
    for origin in (*origins, "https://other.example") if origins else ():
        yield Caller(origin=origin.replace("*", "some"))


def list_headers(rule: AnsweringRule, caller: Caller) -> Iterator[tuple[str, str]]:
    """Yield what a caller sends to be let in by a rule."""
    if caller.origin:
        yield "origin", caller.origin
        yield "access-control-request-method", "GET"
    spec = read_spec(rule, "SecurityPolicy")
    if "basic" in caller.has:
        yield "authorization", basic() if caller.is_right else basic("wrong")
    elif "jwt" in caller.has:
        yield "authorization", f"Bearer {_token(spec, caller)}"
    if "apiKey" in caller.has:
        (place,) = spec["apiKeyAuth"]["extractFrom"]
        yield from ((name, API_KEY if caller.is_right else "no") for name in place["headers"])


def list_parameters(rule: AnsweringRule, caller: Caller) -> Iterator[tuple[str, str]]:
    """Yield the parameters that a caller adds, where the header of a token is taken already."""
    spec = read_spec(rule, "SecurityPolicy")
    if {"basic", "jwt"} <= caller.has and "jwt" in spec:  # another rule may ask for no token
        yield "access_token", _token(spec, caller)


def _token(spec: Json, caller: Caller) -> str:
    (provider,) = spec["jwt"]["providers"]
    return token(provider["issuer"], is_right=caller.is_right)


def list_filters(rule: AnsweringRule, field: str) -> list[Json]:
    """The filters of a rule that have a field."""
    return [one for one in rule.does.get("filters", ()) if field in one]


def list_origins(rule: AnsweringRule) -> list[str]:
    """The origins whose pages may read answers, by a filter or else by policies."""
    own = [one["cors"] for one in list_filters(rule, "cors")]
    policy = read_spec(rule, "SecurityPolicy").get("cors", {})
    return [*(own or [policy])[0].get("allowOrigins", ())]


def may_read(rule: AnsweringRule, caller: Caller) -> bool:
    """Tell whether a caller's page may read answers."""
    patterns = [re.escape(one).replace(r"\*", ".*") for one in list_origins(rule)]
    return any(re.fullmatch(one, caller.origin) for one in patterns)


def refuse(rule: AnsweringRule, request: Request, caller: Caller) -> int | None:
    """The status by which policies answer a caller; None if they let it pass."""
    spec = read_spec(rule, "SecurityPolicy")
    has = caller.has if caller.is_right else frozenset[str]()
    if request.method:
        # A service that does not speak gRPC lets in nobody.
        if "extAuth" in spec and not ("basic" in has and "http" in spec["extAuth"]):
            return 403
        for field in ("apiKeyAuth", "basicAuth"):
            if field in spec and _ASKING[field] not in has:
                return 401
        if "oidc" in spec:
            return 302
        if "jwt" in spec and "jwt" not in has:
            return 401
    if "authorization" in spec and not _is_authorized(spec["authorization"], request, caller):
        return 403
    return None


def _is_authorized(spec: Json, request: Request, caller: Caller) -> bool:
    for rule in spec.get("rules", ()):
        networks = map(ip_network, rule["principal"].get("clientCIDRs", ()))
        methods = rule.get("operation", {}).get("methods", ())
        is_meant = not (methods and request.method) or request.method in methods
        if is_meant and any(ip_address(caller.source) in one for one in networks):
            return bool(rule["action"] == "Allow")
    return bool(spec.get("defaultAction", "Deny") == "Allow")
