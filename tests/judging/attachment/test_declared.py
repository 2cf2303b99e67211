"""What `external` lists is taken to be there, with what is declared of it."""

from spokerender.judging.attachment.statuses import Attachment, Elsewhere
from spokerender.model import Ref
from spokerender.model.selectors import EVERY_KIND, ExternalObjects, ExternalPattern
from tests.judging.attachment.policies import (
    GATEWAY,
    GATEWAYS,
    ROUTE,
    SECURITY,
    SERVICE,
    TLS,
    attachments,
    policy,
    status,
)
from tests.support import cases, each, manifest, rows_of

GATEWAY_API = "gateway.networking.k8s.io"
WEB = Ref(GATEWAY_API, "Gateway", "infra", "web")
AUTH = "kuadrant.io/v1/AuthPolicy"
OF_ENVOY = manifest(
    "GatewayClass istio", "controllerName: gateway.envoyproxy.io/gatewayclass-controller"
)
AT_ISTIO = OF_ENVOY.replace("gateway.envoyproxy.io/gatewayclass", "istio.io/gateway")


def only(document: str, *entries: ExternalPattern, around: tuple[str, ...] = ()) -> Attachment:
    unseen = Elsewhere(declared=ExternalObjects(entries))
    (attachment,) = attachments(*around, document, unseen=unseen).values()
    return attachment


@cases(*rows_of(__file__, "a_named_object"))
@each("far", "f*", "near")
def test_a_named_object(name: str, declared: str, spec: str) -> None:
    if declared == "ConfigMap":
        spec = spec.replace(
            "valueRef: {", "type: ValueRef, valueRef: {group: '', kind: ConfigMap, "
        )
    document = policy(SECURITY, "p", f"{{targetRefs: [{GATEWAY}], {spec}}}")
    item = only(document, ExternalPattern("", declared, "in*", name), around=(GATEWAYS,))
    state = "Unknown" if name == "near" else "True"
    assert (status(item)[0], item.resolved_refs.status) == (state, state)


@cases(("far", "True"), ("near", "Unknown"))
def test_a_certificate(name: str, state: str) -> None:
    trust = (
        'validation: {hostname: a, caCertificateRefs: [{group: "", kind: ConfigMap, name: far}]}'
    )
    document = policy(TLS, "p", f"{{targetRefs: [{SERVICE}], {trust}}}")
    item = only(document, ExternalPattern("", "ConfigMap", "infra", name), around=(GATEWAYS,))
    assert (status(item)[0], item.resolved_refs.status) == (state, state)


@cases(*rows_of(__file__, "a_target"))
def test_a_target(target: str, state: str, message: str) -> None:
    document = policy(TLS, "p", f"{{targetRefs: [{target}], validation: {{hostname: a}}}}")
    document = document.replace("hostname: a", "hostname: a, wellKnownCACertificates: System")
    item = only(document, ExternalPattern("", "Service", "infra", "cart", ("http",)))
    assert (status(item)[0], item.accepted.message) == (state, message)


@cases(*rows_of(__file__, "a_named_object_of_a_complete_kind"))
@each(True, False)
def test_a_named_object_of_a_complete_kind(is_complete: bool, kind: str, spec: str) -> None:
    complete_kinds = frozenset([("", kind if is_complete else "ConfigMap")])
    unseen = Elsewhere(declared=ExternalObjects((), complete_kinds))
    document = policy(SECURITY, "p", f"{{targetRefs: [{GATEWAY}], {spec}}}")
    (item,) = attachments(GATEWAYS, document, unseen=unseen).values()
    resolved = item.resolved_refs.status, item.resolved_refs.reason
    if is_complete:
        assert (status(item), resolved) == (("False", "Invalid"), ("False", "NotFound"))
    else:
        assert (status(item), resolved) == (("Unknown", "Unverified"),) * 2


@each(("", "Service"), EVERY_KIND)
def test_a_target_of_a_complete_kind(entry: tuple[str, str]) -> None:
    far = SERVICE.replace("cart", "far")
    trust = "validation: {hostname: a, wellKnownCACertificates: System}"
    document = policy(TLS, "p", f"{{targetRefs: [{far}], {trust}}}")
    for kinds, expected in (
        ([entry], ("False", "TargetNotFound")),
        ([], ("Unknown", "Unverified")),
    ):
        unseen = Elsewhere(declared=ExternalObjects((), frozenset(kinds)))
        (item,) = attachments(GATEWAYS, document, unseen=unseen).values()
        assert status(item) == expected


@each(True, False)
def test_a_certificate_of_a_complete_kind(is_complete: bool) -> None:
    trust = (
        'validation: {hostname: a, caCertificateRefs: [{group: "", kind: ConfigMap, name: far}]}'
    )
    document = policy(TLS, "p", f"{{targetRefs: [{SERVICE}], {trust}}}")
    unseen = Elsewhere(declared=ExternalObjects((), frozenset([EVERY_KIND] if is_complete else [])))
    (item,) = attachments(GATEWAYS, document, unseen=unseen).values()
    expected = ("False", "NoValidCACertificate") if is_complete else ("Unknown", "Unverified")
    assert status(item) == expected


def test_a_gateway_of_a_controller_that_no_file_names() -> None:
    declared = ExternalPattern(GATEWAY_API, "Gateway", "infra", "web")
    kuadrant = only(policy(AUTH, "p", f"{{targetRef: {GATEWAY}}}"), declared)
    assert status(kuadrant) == ("True", "Accepted")
    envoy = only(policy(SECURITY, "p", f"{{targetRefs: [{GATEWAY}]}}"), declared)
    why = "no file says whether the controller of Gateway infra/web is Envoy Gateway"
    assert (*status(envoy), envoy.accepted.message) == ("Unknown", "Unverified", why)


@cases((OF_ENVOY, ("True", "Accepted")), (AT_ISTIO, ("False", "TargetNotFound")))
def test_a_route_on_a_gateway_that_is_here(gateway_class: str, expected: tuple[str, str]) -> None:
    document = policy(SECURITY, "p", f"{{targetRefs: [{ROUTE.replace('cart', 'far')}]}}")
    declared = ExternalPattern(GATEWAY_API, "HTTPRoute", "infra", "far", gateways=(WEB,))
    item = only(document, declared, around=(GATEWAYS, gateway_class))
    assert status(item) == expected
    assert (WEB in item.ancestors) is (expected[0] == "True")
