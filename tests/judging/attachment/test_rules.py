"""Every rule of policy attachment: something that keeps it, and something that breaks it."""

from collections.abc import Sequence
from typing import Any

from spokerender.findings.codes.table import HUNDREDS
from spokerender.rendering.marks import cleaned
from spokerender.wings.combined import all_engines
from tests.judging.attachment.policies import (
    CLASS,
    GATEWAY,
    GATEWAYS,
    OURS,
    ROUTE,
    SECURITY,
    SERVICE,
    TLS,
    attachments,
    policy,
    section,
    status,
    told,
)
from tests.judging.attachment.test_policy_crds import BROKEN as BROKEN_CRDS
from tests.support import each, manifest, text_of
from tests.support.stages import auth, gateway, values

KUADRANT = "kuadrant.io/v1/AuthPolicy"
DNS = "kuadrant.io/v1/DNSPolicy"
ISTIO = "security.istio.io/v1/AuthorizationPolicy"
AUTHORITY = "validation: {hostname: a.example, wellKnownCACertificates: System}"
LIMITED = text_of(__file__, "rules.yaml")
MANY = "[" + ", ".join(GATEWAY.replace("web", f"g{n}") for n in range(17)) + "]"
GATEWAYS_17 = "---\n".join(gateway(f"g{n}") for n in range(17))
CROSSING = GATEWAY.replace("}", ", namespace: edge}")
EDGE = gateway("web", "edge")
DNS_CRD = LIMITED.replace("example.com", "kuadrant.io").replace("CachePolicy", "DNSPolicy")
ISTIO_CRD = LIMITED.replace("example.com", "security.istio.io").replace(
    "CachePolicy", "AuthorizationPolicy"
)
GRANT = manifest(
    "ReferenceGrant edge/g",
    "from: [{group: example.com, kind: CachePolicy, namespace: infra}], "
    "to: [{group: gateway.networking.k8s.io, kind: Gateway}]",
)

Documents = tuple[str, ...]
ACCEPTED = ("True", "Accepted")
INVALID = ("False", "Invalid")
MISSING = ("False", "TargetNotFound")
CONFLICTED = ("False", "Conflicted")
UNVERIFIED = ("Unknown", "Unverified")
ELSEWHERE = {"P2", "P7", "P8", "P13", "P18"}
"""The rules that other stages check, or that no file can break."""


def one(kind: str, spec: str, *more: str) -> Documents:
    """A policy `p` of that kind."""
    return (GATEWAYS, policy(kind, "p", spec), *more)


KEPT: list[tuple[str, Documents, tuple[str, str]]] = [
    ("P1", one(KUADRANT, f"{{targetRef: {GATEWAY}}}"), ACCEPTED),
    ("P1", one(SECURITY, f"{{targetRefs: [{GATEWAY}]}}"), ACCEPTED),
    # Istio: everything in the namespace, or what the labels say.
    ("P1", one(ISTIO, "{}"), ACCEPTED),
    ("P1", one(ISTIO, "{selector: {matchLabels: {app: web}}}"), ACCEPTED),
    ("P1", one(OURS, "{}"), ACCEPTED),
    ("P2", one(KUADRANT, f"{{targetRef: {GATEWAY}}}"), ACCEPTED),
    ("P3", one(KUADRANT, f"{{targetRef: {ROUTE}}}"), ACCEPTED),
    ("P3", one(SECURITY, "{targetSelectors: [{kind: Gateway, matchLabels: {tier: public}}]}"),
     ACCEPTED),
    # What only the spoke can have is no mistake.
    ("P3", one(OURS, '{targetRef: {group: "", kind: Service, name: far}}'), UNVERIFIED),
    ("P3", one(OURS, "{targetRef: {group: cloud.example, kind: Vault, name: far}}"), UNVERIFIED),
    ("P4", one(KUADRANT, f"{{targetRef: {section(GATEWAY, 'https')}}}"), ACCEPTED),
    ("P4", one(KUADRANT, f"{{targetRef: {section(ROUTE, 'rule-2')}}}"), ACCEPTED),
    ("P4", one(OURS, f"{{targetRef: {section(SERVICE, 'main')}}}"), ACCEPTED),
    ("P5", one(KUADRANT, f"{{targetRef: {section(ROUTE, 'buy')}}}"), ACCEPTED),
    ("P6", one(SECURITY, f"{{targetRef: {GATEWAY}}}"), ACCEPTED),
    ("P6", one(ISTIO, f"{{targetRefs: [{GATEWAY}]}}"), ACCEPTED),
    ("P8",
     one(OURS, f"{{targetRefs: {MANY.replace(', ' + GATEWAY.replace('web', 'g16'), '')}}}",
         GATEWAYS_17), ACCEPTED),
    ("P9", one(OURS, f"{{targetRefs: [{CROSSING}]}}", EDGE, GRANT), ACCEPTED),
    ("P9", one(OURS, f"{{targetRefs: [{GATEWAY.replace('}', ', namespace: infra}')}]}}"), ACCEPTED),
    ("P10", one(DNS, f"{{targetRef: {GATEWAY}}}"), ACCEPTED),
    # Where there is a CRD, its own rules decide.
    ("P10", one(DNS, f"{{targetRef: {ROUTE}}}", DNS_CRD), ACCEPTED),
    ("P10", one(OURS, f"{{targetRefs: [{ROUTE}]}}", LIMITED), ACCEPTED),
    ("P11",
     one(OURS, f"{{targetRefs: [{ROUTE}]}}", LIMITED,
         policy(OURS, "q", f"{{targetRefs: [{section(ROUTE, 'buy')}]}}")), ACCEPTED),
    ("P11",
     one(OURS, f"{{targetRefs: [{ROUTE}]}}", LIMITED, gateway("api"),
         policy(OURS, "q", f"{{targetRefs: [{GATEWAY.replace('web', 'api')}]}}")), ACCEPTED),
    ("P12",
     (*one(DNS, f"{{targetRef: {GATEWAY}}}"), gateway("api"),
      auth("q", "kind: Gateway, name: api", kind="DNSPolicy")), ACCEPTED),
    ("P13",
     one(DNS, f"{{targetRef: {GATEWAY}}}",
         policy(DNS, "q", f"{{targetRef: {section(GATEWAY, 'https')}}}")), ACCEPTED),
    ("P14", one(KUADRANT, f"{{targetRef: {GATEWAY}, defaults: {{rules: {{a: b}}}}}}"), ACCEPTED),
    ("P14", one(KUADRANT, f"{{targetRef: {GATEWAY}, rules: {{a: b}}}}"), ACCEPTED),
    ("P15", one(ISTIO, f"{{targetRefs: [{CLASS}]}}"), UNVERIFIED),
    ("P15", one(ISTIO, f"{{targetRefs: [{CLASS}]}}", ISTIO_CRD), UNVERIFIED),
    ("P16",
     one(OURS, f"{{targetRefs: {MANY.replace(', ' + GATEWAY.replace('web', 'g16'), '')}}}",
         GATEWAYS_17), ACCEPTED),
    ("P17", one(TLS, f"{{targetRefs: [{SERVICE}], {AUTHORITY}}}"), ACCEPTED),
    ("P19", one(SECURITY, f"{{targetRefs: [{GATEWAY}], jwt: {{providers: []}}}}"), ACCEPTED),
]  # fmt: skip
"""Rule, documents, and the condition of the policy `p`; there is nothing to tell."""

BROKEN: list[tuple[str, Documents, tuple[str, str], list[str]]] = [
    ("P1", one(KUADRANT, "{rules: {}}"), INVALID,
     ["SR2101 spec: has no target, so it has no effect"]),
    ("P1", one(SECURITY, "{targetRefs: []}"), INVALID,
     ["SR2101 spec: has no target, so it has no effect"]),
    # Told by `fleet_checks.hub`, as a reference that can't be understood.
    ("P2", one(KUADRANT, f"{{targetRef: {GATEWAY.replace('s.io', 's.io/v1')}}}"), INVALID, []),
    ("P2", one(KUADRANT, "{targetRef: {kind: Gateway, name: web}}"), INVALID, []),
    # Told by `fleet_checks.hub`, or by the closure of a spoke.
    ("P3", one(KUADRANT, f"{{targetRef: {GATEWAY.replace('web', 'api')}}}"), MISSING, []),
    ("P3", one(OURS, f"{{targetRef: {ROUTE.replace('HTTP', 'GRPC')}}}"), MISSING, []),
    ("P3", one(SECURITY, "{targetSelectors: [{kind: Gateway, matchLabels: {tier: gold}}]}"),
     MISSING,
     ["SR2102 spec.targetSelectors[0]: no Gateway has the labels that it selects (tier=gold)"]),
    ("P4", one(KUADRANT, f"{{targetRef: {section(GATEWAY, 'tls')}}}"), MISSING, []),
    ("P4", one(KUADRANT, f"{{targetRef: {section(ROUTE, 'rule-1')}}}"), MISSING, []),
    (
        "P4",
        one(TLS, f"{{targetRefs: [{section(SERVICE, 'tls')}], {AUTHORITY}}}"),
        MISSING,
        [
            (
                "SR2103 spec.targetRefs[0].sectionName: Service infra/cart has no "
                'port "tls" (it has '
                '"main", "80")'
            )
        ],
    ),
    ("P5", one(KUADRANT, f"{{targetRef: {section(ROUTE, 'stock')}}}"), MISSING,
     [('SR2104 spec.targetRef.sectionName: "stock" is a backend of HTTPRoute '
       "infra/cart, not a rule of it")]),
    ("P6", one(SECURITY, f"{{targetRef: {GATEWAY}, targetRefs: [{GATEWAY}]}}"), INVALID,
     [("SR2105 spec.targetRefs: has spec.targetRef and spec.targetRefs, of which "
       "only one may be set")]),
    ("P6", one(ISTIO, f"{{targetRefs: [{GATEWAY}], selector: {{matchLabels: {{a: b}}}}}}"), INVALID,
     ["SR2105 spec.selector: has spec.targetRefs and spec.selector, of which only one may be set"]),
    # Told by `spokerender.rendering.checks.references`.
    # Told by `fleet_checks.hub`.
    (
        "P8",
        one("agentgateway.dev/v1alpha1/AgentgatewayPolicy", f"{{targetRefs: {MANY}}}", GATEWAYS_17),
        INVALID,
        [
            (
                "SR2111 spec.targetRefs[0]: reaches 17 gateways, and a status has 16 (the Gateway "
                "API since v1.1; GEP-2648 said 32): the last of them may go without it"
            )
        ],
    ),
    ("P9", one(OURS, f"{{targetRefs: [{CROSSING}]}}", EDGE), ACCEPTED,
     [("SR2106 spec.targetRefs[0]: Gateway edge/web is in another namespace, and no "
       "ReferenceGrant there allows it")]),
    (
        "P9",
        one(
            SECURITY,
            "{targetSelectors: [{kind: Gateway, namespaces: {from: All}, matchLabels: {a: b}}]}",
            gateway("web", "edge", metadata="labels: {a: b}"),
        ),
        MISSING,
        [
            (
                "SR2106 spec.targetSelectors[0]: Gateway edge/web is in another namespace, and no "
                "ReferenceGrant there allows it"
            )
        ],
    ),
    *(
        (
            "P9",
            one(
                SECURITY,
                f"{{targetRefs: [{GATEWAY}], extAuth: {{{opens}http: "
                "{backendRefs: [{name: authz, namespace: edge, port: 80}]}}}",
            ),
            INVALID,
            [
                "SR2142 spec.extAuth.http.backendRefs[0]: no ReferenceGrant in edge lets it name "
                "Service edge/authz: Envoy Gateway does not accept the policy, and " + then
            ],
        )
        for opens, then in (
            ("", "answers requests on its targets with 500"),
            ("failOpen: true, ", "lets requests pass without"),
        )
    ),
    ("P10", one(DNS, f"{{targetRef: {ROUTE}}}"), INVALID,
     ["SR2107 spec.targetRef.kind: has a target of kind HTTPRoute, and DNSPolicy is for Gateway"]),
    (
        "P10",
        one(DNS, "{targetRef: {group: networking.istio.io, kind: Gateway, name: web}}"),
        INVALID,
        [
            (
                "SR2107 spec.targetRef.group: has a target of kind Gateway of group "
                "networking.istio.io, and DNSPolicy is for Gateway of group "
                "gateway.networking.k8s.io"
            )
        ],
    ),
    (
        "P11",
        one(
            OURS,
            f"{{targetRefs: [{ROUTE}]}}",
            LIMITED,
            policy(OURS, "q", f"{{targetRefs: [{GATEWAY}]}}"),
        ),
        ACCEPTED,
        [
            (
                "SR2108 spec.targetRefs[0]: is on a route, and CachePolicy infra/q is on the "
                "gateway above it, though CachePolicy is direct"
            )
        ],
    ),
    (
        "P12",
        one(
            "kuadrant.io/v1/TLSPolicy",
            f"{{targetRef: {GATEWAY}, a: 1}}",
            policy("kuadrant.io/v1/TLSPolicy", "o", f"{{targetRef: {GATEWAY}, a: 1}}"),
        ),
        ACCEPTED,
        [
            (
                "SR2114 spec.targetRef: has the same target as TLSPolicy infra/o: Gateway "
                "infra/web. Their controller breaks no tie, so applied within one second they are "
                "all carried out, against each other"
            )
        ],
    ),
    # Sections are told apart, but there is one policy for each.
    (
        "P13",
        one(
            SECURITY,
            f"{{targetRefs: [{section(GATEWAY, 'http')}], a: 1}}",
            policy(SECURITY, "o", f"{{targetRefs: [{section(GATEWAY, 'http')}], a: 2}}"),
        ),
        CONFLICTED,
        [
            (
                "SR2113 spec.targetRefs[0]: contends with SecurityPolicy infra/o for "
                "Gateway infra/web "
                "[http], and only the older of them holds: files can't tell which one that is"
            )
        ],
    ),
    (
        "P14",
        one(
            KUADRANT,
            f"{{targetRef: {GATEWAY}, defaults: {{rules: {{a: b}}}}, overrides: "
            f"{{rules: {{a: b}}}}}}",
        ),
        INVALID,
        [
            (
                "SR2109 spec.overrides: has spec.defaults and spec.overrides, and a policy has one "
                "merge strategy"
            )
        ],
    ),
    (
        "P14",
        one(KUADRANT, f"{{targetRef: {GATEWAY}, rules: {{a: b}}, defaults: {{rules: {{a: b}}}}}}"),
        INVALID,
        [
            (
                "SR2109 spec.defaults: has spec.rules and spec.defaults, and a policy has one "
                "merge strategy"
            )
        ],
    ),
    ("P15", one(OURS, f"{{targetRefs: [{CLASS}]}}"), UNVERIFIED,
     [("SR2110 spec.targetRefs[0]: GatewayClass istio is for all namespaces, and "
       "CachePolicy is namespaced")]),
    # GEP-713 allows 16 targets, whatever the room in a status.
    ("P16", one(OURS, f"{{targetRefs: {MANY}}}", GATEWAYS_17), INVALID,
     [("SR2111 spec.targetRefs[0]: reaches 17 gateways, and a status has 16 (the Gateway "
       "API since v1.1; GEP-2648 said 32): the last of them may go without it")]),
    ("P16", one(OURS, f"{{targetRefs: {MANY}}}", GATEWAYS_17, LIMITED), ACCEPTED,
     [("SR2111 spec.targetRefs[0]: reaches 17 gateways, and its CRD allows 2: the last of "
       "them may go without it")]),
    (
        "P17",
        one(
            TLS,
            f"{{targetRefs: [{SERVICE}], "
            "validation: {hostname: a.example, wellKnownCACertificates: a.example/b}}",
        ),
        INVALID,
        [
            (
                "SR2116 spec.validation.wellKnownCACertificates: a.example/b is not a well-known "
                "set of CA certificates"
            )
        ],
    ),
    (
        "P19",
        one(
            SECURITY, f"{{targetRefs: [{GATEWAY}], jwt: {{providers: [{{name: a}}, {{name: a}}]}}}}"
        ),
        INVALID,
        [
            (
                "SR2143 spec.jwt.providers: spec.jwt.providers has to have a name of its own for "
                "each provider: Envoy Gateway does not accept the policy, and answers requests on "
                "its targets with 500"
            )
        ],
    ),
]  # fmt: skip
"""Rule, documents, the condition of the policy `p`, and all that is told of it."""


def numbered(cases: Sequence[tuple[Any, ...]]) -> list[str]:
    """A rule has several cases."""
    return [f"{case[0]}-{number}" for number, case in enumerate(cases)]


@each(*KEPT, ids=numbered(KEPT))
def test_kept(case: tuple[str, Documents, tuple[str, str]]) -> None:
    _, documents, condition = case
    found = attachments(*documents)
    assert status(found["infra/p"]) == condition
    assert [line for item in found.values() for line in told(item)] == []


@each(*BROKEN, ids=numbered(BROKEN))
def test_broken(case: tuple[str, Documents, tuple[str, str], list[str]]) -> None:
    identity, documents, condition, lines = case
    found = attachments(*documents)["infra/p"]
    assert status(found) == condition
    assert told(found) == lines
    if lines and identity not in ELSEWHERE:
        assert {dict(fault.finding.tags)["rule"] for fault in found.faults} == {identity}
    assert all(fault.cure for fault in found.faults)


def test_marks_of_a_cluster_are_not_copied() -> None:
    """P18."""
    (data,) = values(
        """\
        metadata:
          name: a
          annotations: {example.com/WasmPluginAffected: "true", example.com/isAffected: "true"}
          labels: {gateway.networking.k8s.io/PolicyAffected: "true", app: a}
        """
    )
    assert cleaned(data, all_engines().marks) == {
        "metadata": {
            "name": "a",
            "annotations": {"example.com/isAffected": "true"},
            "labels": {"app": "a"},
        }
    }


def test_no_rule_is_without_a_case() -> None:
    every = {dict(kind.tags)["rule"] for kind in HUNDREDS["Attachment"]} | ELSEWHERE
    assert every == {f"C{n}" for n in range(1, 11)} | {f"P{n}" for n in range(1, 20)}
    assert {case[0] for case in BROKEN} == {case[0] for case in KEPT}
    assert {case[0] for case in BROKEN} | BROKEN_CRDS.keys() | {"P7", "P18"} == every


def test_every_code_says_its_rule_with_level_and_source() -> None:
    for kind in HUNDREDS["Attachment"]:
        assert dict(kind.tags).keys() == {"rule", "level", "source"}
        assert kind.code.startswith("SR21")
