"""Advice on DNS records: compares the policies of all spokes for each hostname."""

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from spokerender.findings.codes import advice as codes
from spokerender.findings.results import INFO, WARNING, FindingKind, Result
from spokerender.judging.advice.phrases import list_few
from spokerender.judging.advice.view import AdvisedObject, FleetView, JudgedSpokeView, Spokes
from spokerender.kinds.columns import Records
from spokerender.kinds.fields import find_values
from spokerender.model.shapes import as_text


class DNSRequest(Struct, frozen=True, eq=False):
    """The DNS record that a policy requests for a hostname, the same on all `spokes`.

    `records` names the policy's fields. If `is_delegated`, another cluster publishes the record.
    """

    spokes: Spokes
    view: JudgedSpokeView
    policy: AdvisedObject
    records: Records
    namespace: str
    hostname: str
    is_balanced: bool
    geo: str
    weight: Any
    is_default: bool
    is_delegated: bool

    def result(self, rule: FindingKind, message: str, cure: str, field: str) -> Result:
        """Return a finding about the policy."""
        return self.view.result(rule, self.policy.ref, message, cure, field=field)


_Requests = tuple[DNSRequest, ...]


def check_dns_records(fleet: FleetView) -> Iterator[Result]:
    """Yield the findings for each group of hostnames that share the policies for their records."""
    groups = [(list_few(names), requests) for names, requests in _group_requests(fleet)]
    # One check after the other, so that the findings of a kind stand together.
    for check in (_check_balancing, _check_default_geos, _check_delegation, _check_continents):
        for hostnames, requests in groups:
            yield from check(hostnames, requests)


def _group_requests(fleet: FleetView) -> list[tuple[list[str], _Requests]]:
    """Return (hostnames, first one's requests) for hostnames with equal policies and spokes."""
    requests = sorted(
        (request for view, spokes in fleet.cases for request in _requests(fleet, view, spokes)),
        key=lambda request: (request.hostname, request.spokes, request.policy.ref),
    )
    groups: dict[tuple[Any, ...], tuple[list[str], _Requests]] = {}
    for hostname, same_name in groupby(requests, lambda request: request.hostname):
        same = tuple(same_name)
        key = tuple((request.spokes, request.policy.ref) for request in same)
        groups.setdefault(key, ([], same))[0].append(hostname)
    return list(groups.values())


def _requests(fleet: FleetView, view: JudgedSpokeView, spokes: Spokes) -> Iterator[DNSRequest]:
    for policy, attachment in view.policies:
        records = policy.kind.traits.records
        if records is None:
            continue
        listeners = view.covered_listeners(policy, attachment)
        for hostname in sorted({listener.hostname for _, listener, _ in listeners} - {""}):
            fields = (records.geo, records.weight, records.default, records.delegate)
            data = (policy.ref.namespace, hostname, *(_read_scalar(policy, at) for at in fields))
            for resolved, same_spokes in fleet.resolve(spokes, data):
                namespace, name, geo, weight, default, delegate = resolved
                yield DNSRequest(
                    spokes=same_spokes,
                    view=view,
                    policy=policy,
                    records=records,
                    namespace=str(namespace),
                    hostname=str(name),
                    is_balanced=bool(find_values(policy.object, records.balancing)),
                    geo=as_text(geo),
                    weight=weight,
                    is_default=default is True,
                    is_delegated=delegate is True,
                )


def _read_scalar(policy: AdvisedObject, pattern: str) -> str | int | float | None:
    values = [value for _, value in find_values(policy.object, pattern)]
    return values[0] if values and isinstance(values[0], str | int | float) else None


def _union_spokes(requests: _Requests) -> Spokes:
    return tuple(sorted({spoke for request in requests for spoke in request.spokes}))


def _check_balancing(hostnames: str, requests: _Requests) -> Iterator[Result]:
    """Yield a finding if some policies load-balance the hostnames and other policies do not."""
    balanced = tuple(request for request in requests if request.is_balanced)
    plain = tuple(request for request in requests if not request.is_balanced)
    if not balanced or not plain:
        return
    # A load-balanced record is a CNAME and a plain one an A record. One name can't have both, and
    # kuadrant-operator reports "record type conflict".
    field = plain[0].records.balancing
    result = plain[0].result(
        codes.MIXED_BALANCING,
        f"{hostnames}: load balancing is set {_describe_split(balanced, plain)}; one name can't "
        "be a load-balanced and a plain record, so whoever comes second gets a record type "
        "conflict",
        f"set {field} in every policy for the hostname, or in none; going from plain to "
        "load-balanced needs the policy deleted and made anew",
        field,
    )
    policies = tuple(sorted({request.policy.hub for request in requests}))
    yield replace(result, spokes=_union_spokes(requests), also=policies)


def _describe_split(balanced: _Requests, plain: _Requests) -> str:
    """Return a text with the spokes where load balancing is set, or, on one spoke, the policies."""
    with_it, without = _union_spokes(balanced), _union_spokes(plain)
    if set(with_it).isdisjoint(without):
        return f"on {list_few(with_it)} and not on {list_few(without)}"
    setting, others = (
        list_few(sorted({request.policy.ref.full_name for request in group}))
        for group in (balanced, plain)
    )
    return f"by {setting} and not by {others}"


def _check_default_geos(hostnames: str, requests: _Requests) -> Iterator[Result]:
    """Yield findings if hostnames have several default geos or none, or one geo on all spokes."""
    located = tuple(request for request in requests if request.geo)
    spokes = _union_spokes(located)
    geos = sorted({request.geo for request in located})
    defaults = [request for request in located if request.is_default]
    default_geos = sorted({request.geo for request in defaults})
    findings: list[tuple[FindingKind, DNSRequest, str, str]] = []
    if len({(request.geo, request.weight) for request in located}) == 1 and len(spokes) > 1:
        message = (
            f"every spoke has geo {geos[0]} and weight {located[0].weight}: location decides "
            "nothing, and traffic is split evenly"
        )
        cure = (
            "nothing is wrong if that is meant; else give each spoke its own value by an override"
        )
        findings.append((codes.SAME_GEO, located[0], message, cure))
    # Each cluster's controller writes its own default into the one record for other clients.
    if len(default_geos) > 1:
        places = list_few(
            f"{geo} on {list_few(_union_spokes(tuple(r for r in defaults if r.geo == geo)))}"
            for geo in default_geos
        )
        message = (
            f"{len(default_geos)} geos are the default ({places}); the clusters' controllers will "
            "undo each other's record without end"
        )
        cure = "set the default for the policies of one geo only"
        findings.append((codes.DEFAULT_GEO, defaults[0], message, cure))
    elif len(geos) > 1 and not default_geos:
        message = f"no geo is the default ({list_few(geos)}): clients elsewhere get no answer"
        cure = "set the default for the policies of one geo"
        findings.append((codes.DEFAULT_GEO, located[0], message, cure))
    for rule, request, message, cure in findings:
        field = request.records.balancing
        result = request.result(rule, f"{hostnames}: {message}", cure, field)
        yield replace(result, spokes=spokes)


def _check_delegation(hostnames: str, requests: _Requests) -> Iterator[Result]:
    """Yield a finding if only some policies delegate the record, or if their namespaces differ."""
    delegated = tuple(request for request in requests if request.is_delegated)
    others = tuple(request for request in requests if not request.is_delegated)
    namespaces = sorted({request.namespace for request in delegated})
    if delegated and others:
        first = others[0]
        message = (
            f"the record is delegated on {list_few(_union_spokes(delegated))} and not on "
            f"{list_few(_union_spokes(others))}; what is not delegated is published beside the "
            "primary's"
        )
        cure = "delegate in every policy for the hostname, or in none"
    # kuadrant-operator: a primary cluster looks for the records of others in its own namespace.
    elif len(namespaces) > 1:
        first = delegated[0]
        message = (
            f"the record is delegated from different namespaces ({list_few(namespaces)}); a "
            "primary cluster looks for the others' records in one of the same name"
        )
        cure = "place the gateway in the same namespace on every spoke"
    else:
        return
    field = first.records.delegate
    result = first.result(codes.DELEGATION, f"{hostnames}: {message}", cure, field)
    yield replace(result, spokes=_union_spokes(requests))


def _check_continents(_: str, requests: _Requests) -> Iterator[Result]:
    """Yield a finding for each continent without its prefix, as providers read it as a country.

    The finding is an info if there is a country with this code.
    """
    for request in requests:
        records, geo = request.records, request.geo
        if geo not in records.continents:
            continue
        is_country = geo in records.countries
        result = request.result(
            codes.CONTINENT,
            f"geo {geo} is read as the code of a country"
            + (", not as the continent" if is_country else ", and no country has it"),
            f"write {records.prefix}{geo} for the continent",
            records.geo,
        )
        severity = INFO if is_country else result.severity
        yield replace(result, spokes=request.spokes, severity=severity)


def check_nameless_listeners(view: JudgedSpokeView) -> Iterator[Result]:
    """Yield a finding for each DNS policy with listeners without hostname, which get no record.

    The finding is an info if the policy also covers listeners with a hostname.
    """
    for policy, attachment in view.policies:
        if policy.kind.traits.records is None:
            continue
        covered = [
            (gateway.ref, listener)
            for gateway, listener, _ in view.covered_listeners(policy, attachment)
            if view.is_rendered(gateway.ref)
        ]
        nameless = [
            f"{ref} [{listener.name}]" for ref, listener in covered if not listener.hostname
        ]
        if nameless:
            yield view.result(
                codes.NO_RECORD,
                policy.ref,
                f"there will be no DNS record for {list_few(nameless)}: a listener without a "
                "hostname is skipped",
                "give the listener a hostname, or target only the listeners that have one",
                severity=INFO if len(nameless) < len(covered) else WARNING,
            )
