"""The objects and configuration that Kuadrant's operator makes of effective policies.

Read in kuadrant-operator v1.5.2, internal/controller: authconfigs_reconciler.go,
limitador_limits_reconciler.go, ratelimit_workflow_helpers.go, dnspolicy_dnsrecords.go (with
dns-operator's pkg/builder) and effective_tls_policies_reconciler.go. Kuadrant only hashes names.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from spokerender.judging.effective.outcomes import EffectiveRule, MadePart, derive_rule, join_rules
from spokerender.judging.effective.rates import hash_limit_name, read_seconds
from spokerender.judging.validation.defaults import fill_defaults
from spokerender.kinds.columns import Counters
from spokerender.kinds.kind import Kind, Reports
from spokerender.model import Ref, grouped
from spokerender.model.shapes import Json, as_list, as_mapping, as_mappings, as_text
from spokerender.topology.node import Listener
from spokerender.topology.paths import RequestPath

_Data = dict[str, Any]
_PLACEHOLDER, _OPEN = "{{ ", "…"
"""The start of a placeholder for a spoke's value, and the text for a hash of such a value."""
_CODE_LENGTH = 6
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_LABELED = ("component", "instance", "name", "part-of")
_LABELS = {
    "app": "kuadrant",
    **{f"app.kubernetes.io/{key}": "kuadrant" for key in _LABELED},
    "app.kubernetes.io/managed-by": "kuadrant-operator",
}
_IN_NO_FILE = (
    "<addresses> of the Gateway, here IP addresses (a hostname gets a CNAME), and the UID of the "
    "cluster, of which <cluster> is a code"
)


def list_made(
    kind: Kind, path: RequestPath, rules: Sequence[EffectiveRule], listener: Listener | None
) -> tuple[MadePart, ...]:
    """Return what the operator makes of `rules`, which are in force on a path.

    Empty for other vendors' kinds. Values may contain placeholders for values that differ between
    spokes. `listener` is the listener of a path that ends there, not at a rule; else None.
    """
    if kind.controller.reports is not Reports.KUADRANT or not rules:
        return ()
    derived = [derive_rule(rule, kind) for rule in rules]
    if None in derived:
        policy = rules[derived.index(None)].policy
        return (MadePart("the operator", [], f"the {kind.kind} that is written for {policy}"),)
    rules = [rule for rule in derived if rule is not None]
    if path.route is not None and kind.traits.counters is not None:
        return tuple(_make_limits(kind.traits.counters, path.route, rules))
    if path.route is not None:
        return tuple(_make_auth_config(path, path.route, join_rules(rules)))
    if listener is None or not listener.hostname:
        return ()
    # Of equally old policies none overrules the others.
    by_policy = grouped((rule.policy, rule) for rule in rules).values()
    turns = f"{len(by_policy)} policies write it in turn" if len(by_policy) > 1 else ""
    make = _make_record if kind.traits.records is not None else _make_certificate
    return tuple(
        part
        for own in by_policy
        for part in make(kind, path.gateway, join_rules(own), listener, turns)
    )


def _make_auth_config(
    path: RequestPath, route: Ref, proper: Mapping[str, Any]
) -> Iterator[MadePart]:
    """Yield a path's AuthConfig, and the plugin's action with the AuthConfig's name as `scope`."""
    sections = (f"#{ref.section_name}" if ref.section_name else "" for ref in path.levels)
    places = [ref.full_name + section for ref, section in zip(path.levels, sections, strict=True)]
    whole = "|".join(places)
    name = _OPEN if _PLACEHOLDER in whole else hashlib.sha256(whole.encode()).hexdigest()
    parts = dict(as_mapping(proper.get("rules")))
    response = as_mapping(parts.get("response"))
    success = dict(as_mapping(response.get("success")))
    if "filters" in success:
        success["dynamicMetadata"] = success.pop("filters")
        parts["response"] = {**response, "success": success}
    patterns = as_mapping(proper.get("patterns")).items()
    named = {key: as_mapping(pattern).get("allOf") for key, pattern in patterns}
    metadata = {
        "name": name,
        "labels": {"kuadrant.io/auth": "true", "kuadrant.io/managed": "true"},
        "annotations": {
            f"{route.kind}Rule.{route.group}": f"{route.kind.lower()}.{route.group}:{places[-1]}"
        },
    }
    spec = {"hosts": [name], **({"patterns": named} if named else {}), **parts}
    config = _make_object("authorino.kuadrant.io/v1beta3", "AuthConfig", metadata, spec)
    yield MadePart("Authorino", config)
    action = {"service": "auth-service", "scope": name, **_list_predicates(proper)}
    yield MadePart("the plugin", [action])


def _make_limits(
    counters: Counters, route: Ref, rules: Sequence[EffectiveRule]
) -> Iterator[MadePart]:
    """Yield Limitador's limits for a route, and the plugin's actions that check these limits."""
    proper, limits, asked = join_rules(rules), list[_Data](), list[Any]()
    own = (rule for rule in rules if rule.path[0] == counters.limits)
    for rule in sorted(own, key=lambda rule: str(rule.path[1])):
        policy, name, limit = rule.policy, str(rule.path[1]), as_mapping(rule.value)
        identifier = hash_limit_name(counters.prefix, policy.namespace, policy.name, name)
        if _PLACEHOLDER in policy.full_name:
            identifier = f"{identifier.rpartition('__')[0]}__{_OPEN}"
        counted = [as_text(each.get("expression")) for each in as_mappings(limit.get("counters"))]
        limits += (
            {
                "name": name,
                "namespace": route.full_name,
                "max_value": rate.get("limit"),
                "seconds": _read_window(rate.get("window")),
                "conditions": [f'descriptors[0]["{identifier}"] == "1"'],
                "variables": [f'descriptors[0]["{text.strip()}"]' for text in counted],
            }
            for rate in as_mappings(limit.get("rates"))
        )
        predicates = _list_predicates(proper, limit)
        for service, added in counters.services:
            entries = [(identifier, "1"), *zip(counted, counted, strict=True)]
            entries += [("ratelimit.hits_addend", added)] if added else []
            data = [{"expression": {"key": key, "value": value}} for key, value in entries]
            asked.append((service, {**predicates, "data": data}))
    yield MadePart("Limitador", limits)
    actions = []
    # What one service is asked about in a row becomes one action (mergeAndVerify).
    for service, same in groupby(asked, key=lambda item: item[0]):
        data = sorted(
            (each for _, each in same), key=lambda each: "|".join(each.get("predicates", ()))
        )
        actions.append({"service": service, "scope": route.full_name, "conditionalData": data})
    yield MadePart("the plugin", actions)


def _make_record(
    kind: Kind, gateway: Ref, proper: Mapping[str, Any], listener: Listener, turns: str
) -> Iterator[MadePart]:
    """Yield a listener's DNSRecord if the hostname has a dot; `turns` is put in `not_in_files`."""
    hostname, filled = listener.hostname, fill_defaults(kind, proper)
    if "." not in hostname:
        return
    spec: _Data = {"rootHost": hostname}
    if providers := as_list(filled.get("providerRefs")):
        spec["providerRef"] = providers[0]
    if check := as_mapping(filled.get("healthCheck")):
        spec["healthCheck"] = check
    if filled.get("delegate") is True:
        spec["delegate"] = True
    spec["endpoints"] = _list_endpoints(hostname, gateway, as_mapping(filled.get("loadBalancing")))
    metadata = _name_object(gateway, listener)
    metadata["labels"]["kuadrant.io/listener-name"] = listener.name
    record = _make_object("kuadrant.io/v1alpha1", "DNSRecord", metadata, spec)
    yield MadePart("the DNS operator", record, "; ".join(filter(None, (_IN_NO_FILE, turns))))


def _list_endpoints(hostname: str, gateway: Ref, balancing: Mapping[str, Any]) -> list[_Data]:
    """Return a record's endpoints; the Gateway's addresses are assumed to be IP addresses."""
    if not balancing:
        return [_make_endpoint(hostname, "<addresses>", "A")]
    geo, balanced = str(balancing.get("geo", "")), f"klb.{hostname.removeprefix('*.')}".lower()
    of_geo = f"{geo}.{balanced}".lower()
    code = shorten(f"{gateway.name}-{gateway.namespace}")
    cluster = f"<cluster>-{_OPEN if _PLACEHOLDER in gateway.full_name else code}.{balanced}"
    geos = {geo: geo} | ({"default": "*"} if balancing.get("defaultGeo") is True else {})
    endpoints = [
        _make_endpoint(cluster, "<addresses>", "A"),
        _make_endpoint(of_geo, cluster) | _mark(cluster, balancing.get("weight"), "weight"),
        *(
            _make_endpoint(balanced, of_geo, ttl=300) | _mark(*it, "geo-code")
            for it in geos.items()
        ),
        _make_endpoint(hostname, balanced, ttl=300),
    ]
    return sorted(endpoints, key=lambda each: each["dnsName"] + each.get("setIdentifier", ""))


def _make_endpoint(name: str, target: str, record: str = "CNAME", *, ttl: int = 60) -> _Data:
    """Return an endpoint of a DNSRecord; `ttl` is by default that of Kuadrant's operator."""
    return {"dnsName": name, "targets": [target], "recordType": record, "recordTTL": ttl}


def _mark(key: str, value: object, name: str) -> _Data:
    return {"setIdentifier": key, "providerSpecific": [{"name": name, "value": str(value)}]}


def _make_certificate(
    _: Kind, gateway: Ref, proper: Mapping[str, Any], listener: Listener, turns: str
) -> Iterator[MadePart]:
    """Yield the Certificate of a listener that terminates TLS with Secrets in its own namespace."""
    if not listener.is_certified(gateway.namespace):
        return
    secrets = listener.certificates
    spec = {
        "dnsNames": [listener.hostname],
        "secretName": secrets[-1][1],
        "usages": ["digital signature", "key encipherment"],
        **proper,
    }
    metadata = _name_object(gateway, listener)
    certificate = _make_object("cert-manager.io/v1", "Certificate", metadata, spec)
    several = "each of the Secrets is written as its secretName in turn" if secrets[1:] else ""
    yield MadePart("cert-manager", certificate, turns or several)


def _name_object(gateway: Ref, listener: Listener) -> _Data:
    """Return the metadata of an object that Kuadrant's operator writes for a listener."""
    name = f"{gateway.name}-{listener.name}"
    return {"name": name, "namespace": gateway.namespace, "labels": dict(_LABELS)}


def _make_object(version: str, kind: str, metadata: _Data, spec: _Data) -> _Data:
    return {"apiVersion": version, "kind": kind, "metadata": metadata, "spec": spec}


def shorten(text: str) -> str:
    """Return a text's hash as part of hostnames (dns-operator, `ToBase36HashLen`)."""
    number, code = int(hashlib.sha224(text.encode()).hexdigest(), 16), ""
    while number:
        number, digit = divmod(number, len(_DIGITS))
        code = _DIGITS[digit] + code
    return code[:_CODE_LENGTH]


def _list_predicates(*holders: Mapping[str, Any]) -> _Data:
    when = (each for holder in holders for each in as_mappings(holder.get("when")))
    predicates = [as_text(each.get("predicate")) for each in when]
    return {"predicates": predicates} if predicates else {}


def _read_window(window: Json) -> Json:
    """Return a duration in seconds; a placeholder for a duration is returned as it is."""
    seconds = read_seconds(window)
    return window if seconds is None else int(seconds)
