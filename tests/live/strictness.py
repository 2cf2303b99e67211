"""Which of two parts of Envoy Gateway's IR asks less of requests, where that can be said for sure.

Authorization is tried on clients of several addresses, methods and headers; limits are compared
where the same requests are counted.
"""

import json
from collections.abc import Iterator, Mapping
from functools import partial
from ipaddress import ip_address, ip_network
from itertools import product
from typing import Any

Json = dict[str, Any]
_ADDRESSES = ("10.0.0.1", "10.0.0.200", "10.0.9.1", "10.9.0.1", "192.168.0.1", "203.0.113.1")
_METHODS = ("GET", "POST", "DELETE")
_HEADERS = (None, "a", "b")
_CLAIMS = (None, "a", "b")
_SECONDS = {"Second": 1, "Minute": 60, "Hour": 3600, "Day": 86400}
_LENIENT = ("allowMissing", "allowMissingOrFailed")
Client = tuple[str, str, str | None, str | None]
"""An address, a method, the value of a header and of a claim."""


def asks_less(part: str, old: str, new: str) -> bool:
    """Tell whether a part of what is asked of callers lets somebody in that it kept out."""
    before, after = json.loads(old), json.loads(new)
    match part:
        case "authorization":
            return any(_allows(after, one) and not _allows(before, one) for one in _list_clients())
        case "jwt":
            return _asks_less_of_tokens(before, after)
        case "extAuth":
            return bool(after.get("failOpen")) and not before.get("failOpen")
    return False


def asks(part: str, text: str) -> bool:
    """Tell whether a part of what is asked of callers keeps anybody out."""
    if part == "jwt":
        return not json.loads(text).get(_LENIENT[1])
    if part != "authorization":
        return True
    authorization = json.loads(text)
    return not all(_allows(authorization, one) for one in _list_clients())


def limits_less(old: str, new: str) -> bool:
    """Tell whether requests that are limited alike may be more."""
    before, after = (dict(_list_limits(json.loads(text))) for text in (old, new))
    same = before.keys() & after.keys()
    is_less = not before.keys() <= after.keys() and after.keys() <= before.keys()
    return is_less or any(after[key] > before[key] for key in same)


def checks_less(old: str, new: str) -> bool:
    """Tell whether a listener asks less of the certificates of its clients."""
    before, after = (json.loads(text).get("tls") or {} for text in (old, new))
    if not (before and after):
        return bool(before)
    has_to = bool(before.get("requireClientCertificate"))
    is_lax = any(
        after.get(key) and not before.get(key)
        for key in ("acceptUntrusted", "allowExpiredCertificate")
    )
    lists = ("verifyCertificateSpki", "verifyCertificateHash", "matchTypedSubjectAltNames")
    is_open = any(before.get(key) and not after.get(key) for key in lists)
    return has_to and (is_lax or is_open or not after.get("requireClientCertificate"))


def _list_clients() -> Iterator[Client]:
    yield from product(_ADDRESSES, _METHODS, _HEADERS, _CLAIMS)


def _allows(authorization: Json, client: Client) -> bool:
    for rule in authorization.get("rules") or ():
        if _is_met(rule, client):
            return bool(rule["action"] == "Allow")
    return bool(authorization["defaultAction"] == "Allow")


def _is_met(rule: Json, client: Client) -> bool:
    address, method, header, claim = client
    principal, operation = rule.get("principal") or {}, rule.get("operation") or {}
    ranges = principal.get("clientCIDRs") or ()
    conditions = (
        not ranges
        or any(
            (ip_address(address) in ip_network(one["cidr"], strict=False))
            is not one.get("invert", False)
            for one in ranges
        ),
        not operation.get("methods") or method in operation["methods"],
        all(header in one["values"] for one in principal.get("headers") or ()),
        all(claim in one["values"] for one in (principal.get("jwt") or {}).get("claims") or ()),
    )
    return all(conditions)


def _asks_less_of_tokens(before: Json, after: Json) -> bool:
    was_lenient = any(before.get(key) for key in _LENIENT)
    if any(after.get(key) and not before.get(key) for key in _LENIENT):
        return not was_lenient or bool(after.get(_LENIENT[1]))
    providers = [
        {(_without(one, "audiences")): one.get("audiences") for one in side["providers"]}
        for side in (before, after)
    ]
    if not providers[0].keys() <= providers[1].keys():
        return False
    return providers[0].keys() < providers[1].keys() or any(
        audiences and not set(providers[1][key] or ()) <= set(audiences)
        if providers[1][key]
        else bool(audiences)
        for key, audiences in providers[0].items()
    )


def _without(value: Json, key: str) -> str:
    return json.dumps({name: item for name, item in value.items() if name != key}, sort_keys=True)


def _list_limits(limits: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """Yield what is limited, with how many requests a second."""
    for sort, side in limits.items():
        if not isinstance(side, dict):
            continue
        write = partial(json.dumps, sort_keys=True)
        rules = [
            *side.get("rules", ()),
            *([{"limit": side["default"]}] if "default" in side else ()),
        ]
        for rule in rules:
            limit = rule["limit"]
            seconds = _SECONDS.get(limit["unit"])
            if seconds:
                key = {name: item for name, item in rule.items() if name != "limit" and item}
                yield f"{sort} {limit['unit']} {write(key)}", limit["requests"] / seconds
