"""Hubs of real projects: each builds, or is refused for the mistakes that are really in it.

The verdicts were written by hand, by reading the hubs, before the renderer ran on them.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from render.explain import SpokeExplanation, explain
from render.pipeline import Rendered
from render.results import Severity
from tests import end_to_end as e2e

CORE, EXTENSIONS, GATEWAY_API = "kuadrant.io", "extensions.kuadrant.io", "gateway.networking.k8s.io"
LISTED = e2e.fleet(
    *((CORE, kind) for kind in e2e.KUADRANT),
    *((EXTENSIONS, f"{name}Policy") for name in ("OIDC", "Plan", "Telemetry", "Threat")),
    (GATEWAY_API, "HTTPRoute"),
    (GATEWAY_API, "GRPCRoute"),
)
CURRENT, OLD, OLDEST = (
    "kuadrant-operator",
    "multicluster-gateway-controller",
    "multicluster-gateway-controller-2023",
)
X509 = "examples/x509-authentication"
ISTIO = "config/dependencies/istio/gateway"
SAMPLES, QUICK_START = "config/samples", "config/quick-start/control-cluster/cluster-config"

Finding = tuple[str, str, int, str]
"""Code, file, document in it (from 0), and the object."""

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
        ],
    ),
}


def hub(folder: Path, *only: str) -> dict[str, bytes]:
    """The manifests of a hub folder, or those at and below some of its paths."""
    found = [path for path in folder.rglob("*") if path.suffix in (".yaml", ".yml", ".json")]
    texts = {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}
    return {
        f"hub/{name}": text
        for name, text in texts.items()
        if not only or any(name == path or name.startswith(f"{path}/") for path in only)
    }


def render(
    files: dict[str, bytes], *gateways: str, fleet: str | None = LISTED, as_: str = "{}"
) -> Rendered:
    ours: dict[str, str | bytes] = {"placement.yaml": e2e.everywhere(*gateways, as_=as_)}
    if fleet is not None:
        ours["fleet.yaml"] = fleet
    return e2e.rendered({**files, **ours})


def told(found: Rendered, severity: Severity) -> list[Finding]:
    """The findings of one severity, sorted."""
    return sorted(
        (
            result.code,
            result.origin.path.removeprefix("hub/") if result.origin else "",
            result.origin.index if result.origin else 0,
            str(result.resource or ""),
        )
        for result in found.results
        if result.severity is severity
    )


def codes(found: Rendered) -> list[str]:
    return [code for code, *_ in told(found, Severity.ERROR)]


def shipped(found: Rendered) -> set[str]:
    """What the spoke gets, where nothing but infos was found."""
    assert told(found, Severity.ERROR) + told(found, Severity.WARNING) == []
    return set(e2e.objects(found))


def kinds_left(found: Rendered) -> dict[str, int]:
    """How many objects of which kind are told not to ship."""
    left = [r.resource.kind for r in found.results if r.code == "SR1501" and r.resource]
    return dict(Counter(left))


def needed(found: Rendered) -> set[str]:
    """What the spoke must have besides."""
    explanation = explain(found, spoke="s1")
    assert isinstance(explanation, SpokeExplanation)
    return {str(thing.ref) for thing in explanation.requirements.objects}


@pytest.mark.parametrize("name", REFUSED)
def test_a_whole_hub_is_refused_for_its_real_mistakes(name: str, fixtures: Path) -> None:
    gateways, expected = REFUSED[name]
    found = render(hub(fixtures / "hubs" / name), *gateways)
    assert told(found, Severity.ERROR) == sorted(expected)
    assert told(found, Severity.WARNING) == []


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
    assert [name for code, _, _, name in infos if code == "SR1303"] == ["GatewayClass envoygateway"]
    unplaced = {name for code, _, _, name in infos if code == "SR1006"}
    assert unplaced >= {
        "EnvoyProxy default/custom-loglevel",
        "Gateway default/public-api",
        "HTTPRoute default/toystore",
    }
    assert kinds_left(found).keys() >= {
        *("ConfigMap", "Deployment", "DestinationRule", "EnvoyProxy", "Issuer", "Kuadrant"),
        *("Namespace", "Secret", "Service", "ServiceAccount", "ServiceEntry"),
    }


def test_another_syncers_kustomizations_are_passed_over(fixtures: Path) -> None:
    found = render(hub(fixtures / "hubs" / OLD), *REFUSED[OLD][0])
    passed = [path for code, path, _, _ in told(found, Severity.INFO) if code == "SR1005"]
    assert len(passed) == 4


# Parts of the first hub.


def test_external_api(fixtures: Path) -> None:
    files = hub(fixtures / "hubs" / CURRENT, "examples/external-api-istio.yaml")
    found = render(files, "default/public-api")
    assert shipped(found) == {
        "Gateway default/public-api",
        "HTTPRoute default/public-api",
        "TLSPolicy default/tls",
        "DNSPolicy default/dns",
    }
    assert kinds_left(found) == {"ServiceEntry": 1, "DestinationRule": 1}
    assert e2e.objects(found) == {
        f"{item['kind']} default/{item['metadata']['name']}": placed_as_it_is(item)
        for item in e2e.parsed(*files.values())
        if item["kind"] not in ("ServiceEntry", "DestinationRule")
    }


def placed_as_it_is(item: dict[str, Any]) -> dict[str, Any]:
    """The namespace is written out, and a copy of Kuadrant's policies says that it is one."""
    metadata = item["metadata"] | {"namespace": "default"}
    if item["kind"].endswith("Policy"):
        metadata["annotations"] = {"kuadrant.io/policy-synced": "true"}
    return item | {"metadata": metadata}


@pytest.mark.parametrize(
    ("gateway", "more"),
    [
        ("gateway", {}),
        ("gateway-tier2-istio", {"ConfigMap": 1}),
        ("gateway-tier2-envoygateway", {"EnvoyProxy": 1}),
    ],
)
def test_client_certificates(gateway: str, more: dict[str, int], fixtures: Path) -> None:
    parts = [f"{X509}/{name}.yaml" for name in (gateway, "authpolicy", "httproute", "httpbin")]
    found = render(hub(fixtures / "hubs" / CURRENT, *parts), "gateway-system/mtls-gateway")
    assert shipped(found) == {
        "Gateway gateway-system/mtls-gateway",
        "TLSPolicy gateway-system/mtls-gateway-tls",
        "HTTPRoute default/httpbin-route",
        "AuthPolicy default/x509-auth-policy",
    }
    left = {"Issuer": 1, "ServiceAccount": 1, "Service": 1, "Deployment": 1}
    assert kinds_left(found) == left | more
    for kind in more:
        assert f"{kind} gateway-system/mtls-gateway-config" in needed(found)


@pytest.mark.parametrize(
    ("example", "objects", "secrets"),
    [
        (
            "toystore",
            {
                "HTTPRoute default/toystore",
                "AuthPolicy default/toystore",
                "AuthPolicy default/toystore-protection",
                "AuthPolicy gateway-system/toystore",
                "RateLimitPolicy default/toystore-httproute",
                "RateLimitPolicy gateway-system/toystore-gw",
                "TokenRateLimitPolicy default/token-limit-free",
            },
            3,
        ),
        (
            "grpc-backend",
            {
                "GRPCRoute default/grpcbin",
                "AuthPolicy default/grpcbin",
                "AuthPolicy default/grpcbin-when",
                "RateLimitPolicy default/grpcbin-rlp",
                "RateLimitPolicy default/grpcbin-method-rlp",
                "RateLimitPolicy default/grpcbin-rlp-no-reflection",
            },
            2,
        ),
    ],
    ids=["toystore", "grpc-backend"],
)
def test_an_example_beside_its_gateway(
    example: str, objects: set[str], secrets: int, fixtures: Path
) -> None:
    files = hub(fixtures / "hubs" / CURRENT, ISTIO, f"examples/{example}")
    gateway = f"hub/{ISTIO}/gateway.yaml"
    name = b"  name: kuadrant-ingressgateway\n"
    assert files[gateway].count(name) == 1
    files[gateway] = files[gateway].replace(name, name + b"  namespace: gateway-system\n")
    found = render(files, "gateway-system/kuadrant-ingressgateway")
    assert shipped(found) == objects | {"Gateway gateway-system/kuadrant-ingressgateway"}
    assert kinds_left(found) == {
        "Secret": secrets,
        "Deployment": 1,
        "Service": 1,
        "Kuadrant": 1,
        "Namespace": 1,
    }


# Parts of the second hub: a class whose parameters were written for this kind of tool.

CLASS, GATEWAY = f"{SAMPLES}/gatewayclass.yaml", f"{SAMPLES}/gateway.yaml"
PARAMETERS = (f"{QUICK_START}/configmap.yaml", f"{QUICK_START}/namespace.yaml")


@pytest.mark.parametrize(
    ("parts", "gateway", "fleet", "as_", "expected"),
    [
        pytest.param(
            (CLASS, GATEWAY, *PARAMETERS), "example-gateway", None, "{}", ["SR1306"], id="no-class"
        ),
        pytest.param(
            (CLASS, GATEWAY), "example-gateway", None, "{}", ["SR1302"], id="no-parameters"
        ),
        pytest.param(
            (CLASS, GATEWAY),
            "example-gateway",
            LISTED,
            "{gatewayClassName: istio}",
            ["SR1302"],
            id="no-parameters-and-a-list",
        ),
        pytest.param(
            ("config/mgc-install-guide/gatewayclass.yaml", GATEWAY),
            "example-gateway",
            None,
            "{}",
            ["SR1301"],
            id="nothing-listed",
        ),
        pytest.param(
            (f"{SAMPLES}/gateway_unsupported_gatewayclass.yaml",),
            "example-unsupported-gateway",
            None,
            "{}",
            ["SR1307"],
            id="unknown-class",
        ),
    ],
)
def test_what_the_class_does_not_say(  # noqa: PLR0913  (a row has this many columns)
    *,
    parts: tuple[str, ...],
    gateway: str,
    fleet: str | None,
    as_: str,
    expected: list[str],
    fixtures: Path,
) -> None:
    files = hub(fixtures / "hubs" / OLD, *parts)
    assert codes(render(files, f"default/{gateway}", fleet=fleet, as_=as_)) == expected


def test_the_class_lists_the_kinds(fixtures: Path) -> None:
    files = hub(fixtures / "hubs" / OLD, CLASS, GATEWAY, *PARAMETERS)
    as_ = "{gatewayClassName: istio}"
    found = render(files, "default/example-gateway", fleet=None, as_=as_)
    assert shipped(found) == {"Gateway default/example-gateway"}
    gateway = e2e.objects(found)["Gateway default/example-gateway"]
    assert gateway["spec"]["gatewayClassName"] == "istio"
    # Its list says v1beta1, which Kuadrant has not served for long: a version is no identity.
    (kinds,) = {found.sync.kinds("kuadrant-multi-cluster-gateway-instance-per-cluster")}
    assert (CORE, "AuthPolicy") in kinds


# The third hub: three steps of one walkthrough.


@pytest.mark.parametrize("step", ["", "-cluster_attr_limit", "-custom_attr_limit"])
def test_one_step_of_the_walkthrough(step: str, fixtures: Path) -> None:
    place = "docs/ratelimitpolicy/walkthrough"
    parts = [
        f"{place}/{name}.yaml" for name in ("gateway", "gatewayclass", f"ratelimitpolicy{step}")
    ]
    files = hub(fixtures / "hubs" / OLDEST, *parts)
    found = render(files, "default/example-gateway")
    assert shipped(found) == {"Gateway default/example-gateway", "RateLimitPolicy default/echo-rlp"}
    assert kinds_left(found) == {"GatewayClass": 1}
    hub_gateway, hub_policy = (e2e.parsed(files[f"hub/{part}"])[0] for part in (parts[0], parts[2]))
    assert e2e.objects(found) == {
        "Gateway default/example-gateway": placed_as_it_is(hub_gateway),
        "RateLimitPolicy default/echo-rlp": placed_as_it_is(hub_policy),
    }
