"""Hubs of real projects, rendered with the kinds that their authors have; what is told of them."""

from collections import Counter
from pathlib import Path
from typing import Any

from spokerender.explain import explain_named
from spokerender.explain.values import SpokeExplanation
from spokerender.findings.results import Severity
from spokerender.rendering.values.rendered import Rendered
from tests.support import end_to_end as e2e

CORE, EXTENSIONS, GATEWAY_API = "kuadrant.io", "extensions.kuadrant.io", "gateway.networking.k8s.io"
LISTED = e2e.fleet(
    *((CORE, f"{name}Policy") for name in ("Auth", "DNS", "RateLimit", "TLS", "TokenRateLimit")),
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
    """What the spoke gets, without errors; of what is unlisted or in no namespace, warnings."""
    assert told(found, Severity.ERROR) == []
    assert {code for code, *_ in told(found, Severity.WARNING)} <= {"SR1006", "SR1517"}
    return set(e2e.objects(found))


def kinds_left(found: Rendered) -> dict[str, int]:
    """How many objects of which kind are told not to ship."""
    left = [r.resource.kind for r in found.results if r.code == "SR1501" and r.resource]
    return dict(Counter(left))


def needed(found: Rendered) -> set[str]:
    """What the spoke must have besides."""
    explanation = explain_named(found, spoke="s1")
    assert isinstance(explanation, SpokeExplanation)
    return {str(thing.ref) for thing in explanation.requirements.objects}


def placed_as_it_is(item: dict[str, Any]) -> dict[str, Any]:
    """The namespace is written out, and a copy of Kuadrant's policies says that it is one."""
    metadata = item["metadata"] | {"namespace": "default"}
    if item["kind"].endswith("Policy"):
        metadata["annotations"] = {"kuadrant.io/policy-synced": "true"}
    return item | {"metadata": metadata}
