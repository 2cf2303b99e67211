"""Policies that agentgateway accepts without their invalid parts (75b4e6c, controller/pkg)."""

from spokerender.judging.attachment.statuses import Attachment, Elsewhere
from tests.judging.attachment.policies import (
    GATEWAY,
    GATEWAYS,
    attachments,
    policy,
    status,
    told,
)
from tests.support import cases, manifest, rows_of

KIND = "agentgateway.dev/v1alpha1/AgentgatewayPolicy"
API = "agentgateway.dev/v1alpha1"
SECRET = manifest("Secret infra/keys", data="{a: eA==}")
SERVICES = "\n---\n".join(
    manifest(f"Service {place}", "ports: [{port: 80}]") for place in ("infra/auth", "away/auth")
)
BACKENDS = "\n---\n".join(
    manifest(f"AgentgatewayBackend infra/{name}", spec, api=API)
    for name, spec in (
        ("tools", "mcp: {targets: [{name: files}]}"),
        ("models", "ai: {groups: [{providers: [{name: first}]}, {providers: [{name: next}]}]}"),
        ("model", "ai: {provider: {openai: {}}}"),
    )
)
ROUTE = manifest(
    "HTTPRoute infra/all",
    "parentRefs: [{name: web}], rules: [{backendRefs: ["
    + ", ".join(
        f"{{group: agentgateway.dev, kind: AgentgatewayBackend, name: {name}}}"
        for name in ("tools", "models", "model")
    )
    + "]}]",
    api="gateway.networking.k8s.io/v1",
)


def attach(spec: str) -> Attachment:
    documents = (GATEWAYS, SECRET, SERVICES, BACKENDS, ROUTE)
    return attachments(*documents, policy(KIND, "p", spec), unseen=frozenset())["infra/p"]


def of(spec: str) -> tuple[tuple[str, str], str, str]:
    """`Accepted` with its message, and the message about targets that are missed."""
    found = attach(spec)
    missed = found.summary.attached.message if found.summary is not None else ""
    return status(found), found.accepted.message, missed


@cases(*rows_of(__file__, "expressions"))
def test_expressions_have_to_be_cel(says: str, field: str) -> None:
    """plugins/traffic_plugin.go, isCEL: they are parsed, and nothing of them is looked up."""
    accepted, message, _ = of(f"{{targetRefs: [{GATEWAY}], {says}}}")
    assert accepted == ("True", "PartiallyValid" if field else "Valid")
    assert message == f"attached to Gateway infra/web{f'; spec.{field} is not CEL' * bool(field)}"


@cases(*rows_of(__file__, "expressions"))
def test_expressions_that_are_not_cel_are_errors(says: str, field: str) -> None:
    """crates/agentgateway/src/cel/mod.rs, new_permissive: the proxy has one that fails instead."""
    lines = told(attach(f"{{targetRefs: [{GATEWAY}], {says}}}"))
    wrong = f"spec.{field} is not CEL: agentgateway accepts the policy, and the expression fails"
    assert lines == ([f"SR2144 spec.{field}: {wrong} each time"] if field else [])


@cases(*rows_of(__file__, "references"))
def test_references_have_to_lead_to_something(says: str, reason: str) -> None:
    """plugins/traffic_plugin.go, ResolveCredentialKeyRef and checkBackendRefGrant."""
    accepted, _, _ = of(f"{{targetRefs: [{GATEWAY}], {says}}}")
    assert accepted == ("True", reason)


@cases(*rows_of(__file__, "parts_of_backends"))
def test_parts_of_backends(name: str, section: str, expected: str) -> None:
    """plugins/reference_indexes.go, validateBackendSection."""
    backend = f"group: agentgateway.dev, kind: AgentgatewayBackend, name: {name}"
    target = f"{{{backend}, sectionName: {section}}}"
    _, _, missed = of(f"{{targetRefs: [{target}], backend: {{http: {{version: HTTP2}}}}}}")
    assert missed == expected


def test_keys_of_a_secret_in_no_file_are_not_known() -> None:
    spec = f"{{targetRefs: [{GATEWAY}], backend: {{auth: {{secretRef: {{name: no, key: k}}}}}}}}"
    found = attachments(GATEWAYS, policy(KIND, "p", spec), unseen=Elsewhere())["infra/p"]
    assert status(found) == ("True", "Valid")
