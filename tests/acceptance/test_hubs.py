"""Hubs of real projects: each is refused for the mistakes that are really in it, and for no other.

The verdicts were written by hand, by reading the hubs, before the renderer ran on them.
"""

from pathlib import Path

from spokerender.findings.results import Severity
from tests.acceptance.hubs import (
    CURRENT,
    ISTIO,
    OLD,
    OLDEST,
    QUICK_START,
    SAMPLES,
    X509,
    Finding,
    hub,
    kinds_left,
    render,
    told,
)
from tests.support import each

REFUSED: dict[str, tuple[list[str], list[Finding]]] = {
    CURRENT: (
        ["default/kuadrant-ingressgateway", "default/public-api", "gateway-system/mtls-gateway"],
        [
            # OpenAPI documents lie among the manifests.
            ("SR1002", "examples/oas-apikey.yaml", 0, ""),
            ("SR1002", "examples/oas-oidc.yaml", 0, ""),
            # Alternatives, of which a user applies one.
            ("SR1003", f"{ISTIO}/gateway.yaml", 0, "Gateway default/kuadrant-ingressgateway"),
            ("SR1003", f"{ISTIO}/namespace.yaml", 0, "Namespace gateway-system"),
            (
                "SR1003",
                "examples/grpc-backend/kuadrant.yaml",
                0,
                "Kuadrant default/kuadrant-sample",
            ),
            ("SR1003", "examples/toystore/kuadrant.yaml", 0, "Kuadrant default/kuadrant-sample"),
            *(
                ("SR1003", f"{X509}/{file}.yaml", document, f"{kind} gateway-system/{name}")
                for file, gateway in (
                    ("gateway-tier2-istio", 3),
                    ("gateway-tier3", 2),
                    ("gateway", 2),
                )
                for document, kind, name in (
                    (0, "Issuer", "gateway-cert-issuer"),
                    (1, "TLSPolicy", "mtls-gateway-tls"),
                    (gateway, "Gateway", "mtls-gateway"),
                )
            ),
            # Placeholders for envsubst, where the API server wants DNS names.
            (
                "SR1007",
                "examples/dnspolicy/application.yaml",
                0,
                "HTTPRoute my-route-${DNSPOLICY_NAMESPACE}",
            ),
            *(
                (
                    "SR1007",
                    f"examples/dnspolicy/{file}.yaml",
                    0,
                    f"{kind} ${{DNSPOLICY_NAMESPACE}}/{name}",
                )
                for file, kind, name in (
                    ("aws-dns-provider-secret", "Secret", "aws-credentials"),
                    ("dnspolicy", "DNSPolicy", "prod-web"),
                    ("dnspolicy-bad-strategy", "DNSPolicy", "prod-web"),
                    ("dnspolicy-delegated", "DNSPolicy", "prod-web"),
                    ("dnspolicy-exclude-address", "DNSPolicy", "prod-web"),
                    ("dnspolicy-healthchecks", "DNSPolicy", "prod-web"),
                    ("gateway", "Gateway", "prod-web-istio"),
                )
            ),
            # Targets that no file has.
            (
                "SR1010",
                f"{SAMPLES}/kuadrant_v1_dnspolicy.yaml",
                0,
                "DNSPolicy default/dnspolicy-sample",
            ),
            (
                "SR1010",
                f"{SAMPLES}/kuadrant_v1_tlspolicy.yaml",
                0,
                "TLSPolicy default/tlspolicy-sample",
            ),
            (
                "SR1010",
                f"{SAMPLES}/kuadrant_v1alpha1_tokenratelimitpolicy.yaml",
                0,
                "TokenRateLimitPolicy gateway-system/token-limit-free",
            ),
            (
                "SR1010",
                "examples/threatpolicy/threatpolicy.yaml",
                0,
                "ThreatPolicy default/api-threat-protection",
            ),
            ("SR1012", "config/dependencies/envoy-gateway/gateway/kustomization.yaml", 0, ""),
            # A kustomization, which is not applied here, put this Gateway into its namespace.
            ("SR1010", "examples/grpc-backend/grpcroute.yaml", 0, "GRPCRoute default/grpcbin"),
            (
                "SR1010",
                "examples/toystore/authpolicy.yaml",
                1,
                "AuthPolicy gateway-system/toystore",
            ),
            ("SR1010", "examples/toystore/httproute.yaml", 0, "HTTPRoute default/toystore"),
            (
                "SR1010",
                "examples/toystore/ratelimitpolicy_gateway.yaml",
                0,
                "RateLimitPolicy gateway-system/toystore-gw",
            ),
        ],
    ),
    OLD: (
        ["default/example-gateway", "default/istio", "default/example-unsupported-gateway"],
        [
            ("SR1002", f"{SAMPLES}/gatewayclass_params.json", 0, ""),
            *(
                (
                    "SR1003",
                    file,
                    0,
                    "GatewayClass kuadrant-multi-cluster-gateway-instance-per-cluster",
                )
                for file in (f"{QUICK_START}/gateway_class.yaml", f"{SAMPLES}/gatewayclass.yaml")
            ),
            ("SR1010", f"{SAMPLES}/echo_httproute.yaml", 2, "HTTPRoute default/echo"),
            ("SR1012", "config/mgc-install-guide/kustomization.yaml", 0, ""),
        ],
    ),
    OLDEST: (
        ["default/example-gateway"],
        [
            (
                "SR1003",
                f"docs/ratelimitpolicy/walkthrough/ratelimitpolicy{step}.yaml",
                0,
                "RateLimitPolicy default/echo-rlp",
            )
            for step in ("", "-custom_attr_limit")
        ]
        # Its version is one that Kuadrant has not served for long.
        + [
            (
                "SR2312",
                "docs/ratelimitpolicy/walkthrough/ratelimitpolicy-cluster_attr_limit.yaml",
                0,
                "RateLimitPolicy default/echo-rlp",
            )
        ],
    ),
}


UNLISTED = {
    CURRENT: {
        "Issuer gateway-system/gateway-cert-issuer",
        "EnvoyProxy gateway-system/mtls-gateway-config",
    }
}
"""What shipped objects name and the list of kinds lacks."""


@each(*REFUSED)
def test_a_whole_hub_is_refused_for_its_real_mistakes(name: str, fixtures: Path) -> None:
    gateways, expected = REFUSED[name]
    found = render(hub(fixtures / "hubs" / name), *gateways)
    assert told(found, Severity.ERROR) == sorted(expected)
    unlisted = {name for code, _, _, name in told(found, Severity.WARNING) if code == "SR1517"}
    assert unlisted == UNLISTED.get(name, set())
    others = [code for code, _, _, _ in told(found, Severity.WARNING) if code != "SR1517"]
    assert others == ["SR1006"]


def test_a_target_of_the_same_name_is_suggested(fixtures: Path) -> None:
    gateways, _ = REFUSED[CURRENT]
    found = render(hub(fixtures / "hubs" / CURRENT), *gateways)
    cures = {str(r.resource): r.cure for r in found.results if r.code == "SR1010"}
    assert cures["GRPCRoute default/grpcbin"] == 'did you mean "default/kuadrant-ingressgateway"?'


def test_what_is_told_and_no_mistake(fixtures: Path) -> None:
    gateways, _ = REFUSED[CURRENT]
    found = render(hub(fixtures / "hubs" / CURRENT), *gateways)
    infos = told(found, Severity.INFO)
    assert [path for code, path, _, _ in infos if code == "SR1005"] == [
        "config/dependencies/envoy-gateway/gateway/kustomization.yaml",
        "config/dependencies/istio/gateway/kustomization.yaml",
        "config/samples/kustomization.yaml",
    ]
    assert [name for code, _, _, name in infos if code == "SR1303"] == []
    (unplaced,) = (result for result in found.results if result.code == "SR1006")
    assert {*map(str, unplaced.also)} >= {
        "Gateway default/public-api",
        "HTTPRoute default/toystore",
    }
    assert kinds_left(found).keys() >= {
        *("ConfigMap", "Deployment", "DestinationRule", "EnvoyProxy", "Kuadrant"),
        *("Namespace", "Secret", "Service", "ServiceAccount", "ServiceEntry"),
    }


def test_another_syncers_kustomizations_are_passed_over(fixtures: Path) -> None:
    found = render(hub(fixtures / "hubs" / OLD), *REFUSED[OLD][0])
    passed = [path for code, path, _, _ in told(found, Severity.INFO) if code == "SR1005"]
    assert len(passed) == 4
