"""What policies name besides their targets: what files can tell of it, and what they can't."""

from spokerender.judging.attachment.statuses import Attachment
from tests.judging.attachment.policies import (
    GATEWAY,
    GATEWAYS,
    SECURITY,
    attachments,
    policy,
    status,
    told,
)
from tests.support import cases, manifest, rows_of
from tests.support.stages import graph

ON = f"targetRefs: [{GATEWAY}]"
USERS = "basicAuth: {users: {name: users}}"
CREDENTIALS = manifest("Secret infra/users")
GRANT = manifest(
    "ReferenceGrant auth/g",
    "from: [{group: gateway.envoyproxy.io, kind: SecurityPolicy, namespace: infra}], "
    "to: [{group: '', kind: Service}]",
)


def backend(more: str) -> str:
    return f"extAuth: {{http: {{backendRefs: [{{name: cart{more}}}]}}}}"


def only(*documents: str, **options: object) -> Attachment:
    (found,) = attachments(GATEWAYS, *documents, **options).values()
    return found


def resolved(item: Attachment) -> tuple[str, str, str]:
    condition = item.resolved_refs
    return condition.status.value, condition.reason, condition.message


def test_what_no_file_has_the_spoke_may_have() -> None:
    """Envoy Gateway accepts no policy whose Secret is missing, and no file tells whether it is."""
    item = only(policy(SECURITY, "p", f"{{{ON}, {USERS}}}"))
    assert status(item) == ("Unknown", "Unverified")
    assert resolved(item) == ("Unknown", "Unverified", "the spoke has to have Secret infra/users")
    assert item.is_accepted
    assert told(item) == []


def test_what_the_hub_has_is_a_requirement_that_is_known() -> None:
    hub = graph(GATEWAYS, CREDENTIALS)
    item = only(policy(SECURITY, "p", f"{{{ON}, {USERS}}}"), namespaces=hub)
    assert status(item) == ("True", "Accepted")
    assert resolved(item)[:2] == ("True", "ResolvedRefs")


def test_other_controllers_accept_first_and_resolve_later() -> None:
    dns = "kuadrant.io/v1/DNSPolicy"
    item = only(policy(dns, "p", f"{{targetRef: {GATEWAY}, providerRefs: [{{name: users}}]}}"))
    assert status(item) == ("True", "Accepted")
    assert resolved(item) == ("Unknown", "Unverified", "the spoke has to have Secret infra/users")


@cases(*rows_of(__file__, "what_files_can_tell"))
def test_what_files_can_tell(more: str, documents: tuple[str, ...], reason: str, why: str) -> None:
    item = only(*documents, policy(SECURITY, "p", f"{{{ON}, {backend(more)}}}"))
    assert item.resolved_refs.reason == reason
    assert status(item) == (("False", "Invalid") if why else ("True", "Accepted"))
    assert item.accepted.message == (why or "attached to Gateway infra/web")
    assert [line.partition(":")[0] for line in told(item)] == (
        ["SR2142 spec.extAuth.http.backendRefs[0]"] if why else []
    )


def test_with_a_grant_it_may_be_named() -> None:
    spec = f"{{{ON}, {backend(', namespace: auth, port: 80')}}}"
    assert status(only(GRANT, policy(SECURITY, "p", spec))) == ("Unknown", "Unverified")


def test_one_that_fails_keeps_its_targets() -> None:
    """Envoy Gateway answers 500 there: what is above it is not in force instead."""
    item = only(policy(SECURITY, "p", f"{{{ON}, {backend('')}}}"))
    assert not item.is_accepted
    assert [str(ref) for ref in item.targets] == ["Gateway infra/web"]
    assert item.failing == "no port of Service infra/cart is named"


@cases(*rows_of(__file__, "a_secret_of_the_hub_has_to_have_the_key"))
def test_a_secret_of_the_hub_has_to_have_the_key(says: str, wrong: str) -> None:
    hub = graph(GATEWAYS, CREDENTIALS + "stringData: {a: b, c: d}\n")
    item = only(policy(SECURITY, "p", f"{{{ON}, {says}}}"), namespaces=hub)
    assert status(item) == (("False", "Invalid") if wrong else ("Unknown", "Unverified"))
    good = "ResolvedRefs", "all that it names is there"
    assert resolved(item)[1:] == (("NotFound", wrong) if wrong else good)


@cases(("{ca.crt: YQ==, b: Yg==}", True), ("{b: Yg==}", True), ("{b: Yg==, c: Yw==}", False))
def test_of_client_certificates_a_single_key_will_do(data: str, accepted: bool) -> None:
    client = "gateway.envoyproxy.io/v1alpha1/ClientTrafficPolicy"
    validation = "tls: {clientValidation: {caCertificateRefs: [{name: users}]}}"
    hub = graph(GATEWAYS, f"{CREDENTIALS}data: {data}\n")
    item = only(policy(client, "p", f"{{{ON}, {validation}}}"), namespaces=hub)
    assert item.is_accepted is accepted


def test_an_imported_service_has_ports_too() -> None:
    imported = manifest(
        "ServiceImport infra/far",
        "type: ClusterSetIP, ports: [{port: 80}]",
        api="multicluster.x-k8s.io/v1alpha1",
    )
    far = "{group: multicluster.x-k8s.io, kind: ServiceImport, name: far, port: 90}"
    spec = f"{{{ON}, extAuth: {{http: {{backendRefs: [{far}]}}}}}}"
    item = only(imported, policy(SECURITY, "p", spec))
    assert resolved(item) == (
        "False",
        "BackendNotFound",
        "ServiceImport infra/far has no port 90 (it has 80)",
    )


def test_tls_to_a_backend_needs_its_certificates() -> None:
    """Envoy Gateway, ext_service.go: a BackendTLSPolicy without its CA fails who names the backend.

    Whether the spoke has it, no file tells.
    """
    tls = policy(
        "gateway.networking.k8s.io/v1/BackendTLSPolicy",
        "t",
        '{targetRefs: [{group: "", kind: Service, name: cart}], validation: '
        '{hostname: a.example, caCertificateRefs: [{group: "", kind: ConfigMap, name: ca}]}}',
    )
    found = attachments(GATEWAYS, tls, policy(SECURITY, "p", f"{{{ON}, {backend(', port: 80')}}}"))
    item = found["infra/p"]
    assert status(item) == ("Unknown", "Unverified")
    assert (
        resolved(item)[2]
        == "the spoke has to have ConfigMap infra/ca for TLS to Service infra/cart"
    )


@cases(("data: {a: b}", True), ("binaryData: {logo: aGk=}", True), ("data: {}", False))
def test_a_response_of_bytes(data: str, is_accepted: bool) -> None:
    """Envoy Gateway, backendtrafficpolicy.go, getCustomResponseBody: it takes bytes, too."""
    body = manifest("ConfigMap infra/m") + data
    override = "responseOverride: [{response: {body: {type: ValueRef, valueRef: {name: m}}}}]"
    traffic = "gateway.envoyproxy.io/v1alpha1/BackendTrafficPolicy"
    item = only(f"{body}\n", policy(traffic, "p", f"{{{ON}, {override}}}"))
    assert (status(item)[0] == "True") is is_accepted
