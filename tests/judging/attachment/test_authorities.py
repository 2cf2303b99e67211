"""P17: the CA certificates of a BackendTLSPolicy."""

from tests.judging.attachment.policies import GATEWAYS, SERVICE, TLS, attachments, policy, told
from tests.support import cases, manifest, rows_of
from tests.support.stages import graph, hub

MAPS = hub(
    manifest("ConfigMap infra/good", data="{ca.crt: certificate}"),
    manifest("ConfigMap infra/empty", data="{tls.crt: certificate}"),
    manifest("ConfigMap infra/blank", data="{ca.crt: ''}"),
    manifest("ConfigMap other/good", data="{ca.crt: certificate}"),
)
BY_KEY = hub(
    manifest("ConfigMap infra/sole", data="{bundle.pem: certificate}"),
    manifest("ConfigMap infra/two", data="{one.pem: certificate, two.pem: certificate}"),
)
ENVOY = f"""\
{GATEWAYS}---
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: {{name: istio}}
spec: {{controllerName: gateway.envoyproxy.io/gatewayclass-controller}}
"""
GOOD = '{group: "", kind: ConfigMap, name: good}'
EMPTY = '{group: "", kind: ConfigMap, name: empty}'
FAR = '{group: "", kind: ConfigMap, name: far}'
KEYS = '{group: "", kind: Secret, name: good}'
NEED = "the spoke has to have ConfigMap infra/far"


def trusting(validation: str) -> str:
    spec = f"{{targetRefs: [{SERVICE}], validation: {{hostname: a.example, {validation}}}}}"
    return policy(TLS, "p", spec)


@cases(*rows_of(__file__, "certificates"))
def test_certificates(
    refs: list[str], accepted: str, resolved: list[str], faults: list[tuple[int, str]]
) -> None:
    text = trusting(f"caCertificateRefs: [{', '.join(refs)}]")
    found = attachments(GATEWAYS, MAPS, text)["infra/p"]
    assert found.accepted.reason == accepted
    assert [found.resolved_refs.status.value, found.resolved_refs.reason] == resolved
    assert told(found) == [
        f"SR2117 spec.validation.caCertificateRefs[{index}]: {why}" for index, why in faults
    ]


def test_what_is_to_be_there_is_told() -> None:
    found = attachments(GATEWAYS, MAPS, trusting(f"caCertificateRefs: [{FAR}]"))["infra/p"]
    assert found.resolved_refs.message == NEED


def test_a_set_has_to_be_well_known() -> None:
    found = attachments(GATEWAYS, MAPS, trusting("wellKnownCACertificates: Mozilla"))["infra/p"]
    assert found.accepted.reason == "Invalid"
    why = "Mozilla is not a well-known set of CA certificates"
    assert told(found) == [f"SR2116 spec.validation.wellKnownCACertificates: {why}"]


def test_a_policy_without_a_good_certificate_contends_with_nobody() -> None:
    bad = trusting(f"caCertificateRefs: [{EMPTY}]").replace("name: p,", "name: a,")
    found = attachments(GATEWAYS, MAPS, bad, trusting(f"caCertificateRefs: [{GOOD}]"))
    assert found["infra/p"].accepted.reason == "Accepted"
    assert found["infra/p"].contentions == ()


def test_what_the_hub_has_is_accepted() -> None:
    hub = graph(
        GATEWAYS, MAPS.replace("name: good, namespace: other", "name: far, namespace: infra")
    )
    text = trusting(f"caCertificateRefs: [{FAR}]")
    found = attachments(GATEWAYS, text, namespaces=hub)["infra/p"]
    assert (found.accepted.reason, found.resolved_refs.reason) == ("Accepted", "ResolvedRefs")


@cases(*rows_of(__file__, "envoy_gateway_reads_more"))
def test_envoy_gateway_reads_more(refs: list[str], accepted: str, resolved: str) -> None:
    maps = f"{MAPS}---\n{BY_KEY}"
    found = attachments(ENVOY, maps, trusting(f"caCertificateRefs: [{', '.join(refs)}]"))["infra/p"]
    assert (found.accepted.reason, found.resolved_refs.reason) == (accepted, resolved)


def test_what_is_in_a_secret_of_the_hub_is_not_known_either() -> None:
    """A Secret of type `gateway.envoyproxy.io/sds` has no certificate, and may be switched off."""
    held = manifest("Secret infra/good")
    text = trusting(f"caCertificateRefs: [{KEYS}]")
    found = attachments(ENVOY, MAPS, text, namespaces=graph(ENVOY, held))["infra/p"]
    assert (found.accepted.status, found.accepted.reason) == ("Unknown", "Unverified")
