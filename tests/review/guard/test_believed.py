"""Other certificates by which callers or backends are believed are told by review and guard."""

from spokerender.findings.results import WARNING
from spokerender.review.guard.refusals import refuse_removals, report_weaknesses
from tests.review.guard.trees import lost, tree
from tests.review.meaning.scenes import compare, gateway, hub, loud, policy, route, state
from tests.review.meaning.test_clients import CA, HAS_TO, OTHER, web
from tests.support import cases, manifest, rows_of

Sides = tuple[str, str]
APP = manifest("Service infra/app", "ports: [{port: 80}]")
SERVED = route(rules="{name: all, backendRefs: [{name: app, port: 80}]}")


def believing(class_name: str, kind: str, spec: str, target: str) -> str:
    """A policy with `CAS` filled by one reference, or by others."""
    return hub(class_name, gateway(class_name), SERVED, APP, policy(kind, spec, target))


CLIENTS = "tls: {clientValidation: {caCertificateRefs: [%s]}}"
BACKENDS = "validation: {hostname: a.x, caCertificateRefs: [%s]}"
LISTENERS = "default: {clientCertificateValidation: {caCertificateRefs: [%s]}}"
AGENT = "backend: {tls: {caCertificateRefs: [%s]}}"


def of(class_name: str, kind: str, target: str, *specs: str) -> Sides:
    before, after = (believing(class_name, kind, spec, target) for spec in specs)
    return before, after


def both(spec: str, *, one: str = CA, other: str = OTHER) -> Sides:
    return spec % one, spec % other


def gateways(before: str, after: str) -> Sides:
    return hub("eg", before, SERVED, APP), hub("eg", after, SERVED, APP)


@cases(*rows_of(__file__, "other_authorities_are_told"))
def test_other_authorities_are_told(before: str, after: str) -> None:
    told = loud(compare(state(before), state(after)))
    assert {item.result.code for item in told} <= {"SR2502", "SR2532"}
    assert {item.severity for item in told} == {WARNING}
    removals = lost(*({"eu": tree(*text.split("---\n"))} for text in (before, after)))
    assert refuse_removals(removals) == ()
    assert {item.code for item in report_weaknesses(removals)} == {"SR1909"}


@cases(
    gateways(web(HAS_TO % f"{CA}, {OTHER}"), web(HAS_TO % CA)),
    of("eg", "ClientTrafficPolicy", "gateway", *both(CLIENTS, one=f"{CA}, {OTHER}", other=CA)),
    of("eg", "BackendTLSPolicy", "service", *both(BACKENDS, one=f"{CA}, {OTHER}", other=OTHER)),
    of("eg", "BackendTLSPolicy", "service",
       *both(BACKENDS, one=f"{CA}, {OTHER}", other=f"{OTHER}, {CA}")),
)  # fmt: skip
def test_fewer_authorities_are_silent(before: str, after: str) -> None:
    assert loud(compare(state(before), state(after))) == []
    removals = lost(*({"eu": tree(*text.split("---\n"))} for text in (before, after)))
    assert (refuse_removals(removals), report_weaknesses(removals)) == ((), ())
