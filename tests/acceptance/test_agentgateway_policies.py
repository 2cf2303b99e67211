"""The statuses of policies that agentgateway's own tests expect.

A case is all that its cluster has. Its module is not to be had, so its cases are kept here.
"""

from functools import cache
from typing import Any

from spokerender.formats import yamlio
from spokerender.pipeline import judge
from tests.conftest import DATA
from tests.support import each
from tests.support.answers import statuses
from tests.support.end_to_end import everywhere, fleet, rendered
from tests.support.stages import values

CASES = DATA / "cases/agentgateway-policies.yaml"
_CEL = "an expression that the proxy can't read: its language is not ours"
_KEYS = "keys that the controller has fetched, or not"
_CHAIN = "a backend that other policies lead to: their backends are no path of ours"
DIFFERENT = {
    "backendpolicy/auth-credentials-missing-key": "the key of a Secret",
    "backendpolicy/backend-chain-ancestor-backend": _CHAIN,
    "backendpolicy/backend-mcp-section-missing-not-attached": "sections of backends",
    "backendpolicy/eviction-invalid-cel": _CEL,
    "backendpolicy/gcpauth": "the key of a Secret",
    "backendpolicy/guardrails-invalid-cel": _CEL,
    "backendpolicy/mcp-auth-missing-persisted-keyset": _KEYS,
    "backendpolicy/mcp-authz-invalid-cel": _CEL,
    "backendpolicy/mcp-authz-require-invalid-cel": _CEL,
    "backendpolicy/multi-target-ref-backend-policy": _KEYS,
    "backendpolicy/policy-chain-existing-intermediate-target": _CHAIN,
    "backendpolicy/policy-chain-missing-intermediate-target": _CHAIN,
    "backendpolicy/selector-service": "labels of Services",
    "backendpolicy/service-port-chain-different-section": _CHAIN,
    "frontendpolicy/accesslog-invalid-filter": _CEL,
    "frontendpolicy/metrics-invalid-expression": _CEL,
    "frontendpolicy/tracing-invalid-attribute": _CEL,
    "trafficpolicy/apikey-configmap-selector-raw-key-rejected": "what is in a ConfigMap",
    "trafficpolicy/authorization-invalid-cel": _CEL,
    "trafficpolicy/authorization-require-invalid-cel": _CEL,
    "trafficpolicy/cel-invalid": _CEL,
    "trafficpolicy/extauthz-grpc-invalid-metadata": _CEL,
    "trafficpolicy/extauthz-http-invalid-path": _CEL,
    "trafficpolicy/extproc-invalid-cel": _CEL,
    "trafficpolicy/global-rl-invalid-cel": _CEL,
    "trafficpolicy/jwt-remote-missing-persisted-keyset": _KEYS,
    "trafficpolicy/jwt-remote-url-missing-persisted-keyset": _KEYS,
    "trafficpolicy/mcp-auth": _KEYS,
}
"""The cases about which we say something else, and what it is about."""
UNLISTED = ("Gateway", "GatewayClass", "Service", "Secret", "ConfigMap")
Json = dict[str, Any]


@cache
def folders() -> list[Json]:
    found: list[Json] = values(CASES.read_text(encoding="utf-8"))[0]["folders"]
    return found


def tell(objects: list[Json]) -> dict[str, str]:
    """What we say of each policy and ancestor on a spoke that has all objects."""
    gateways = [one["metadata"] for one in objects if one["kind"] == "Gateway"]
    groups = {one["kind"]: one["apiVersion"].rpartition("/")[0] for one in objects}
    kinds = [(group, kind) for kind, group in sorted(groups.items()) if kind not in UNLISTED]
    project = rendered(
        {
            "hub/all.yaml": "---\n".join(map(yamlio.emit, objects)),
            "fleet.yaml": fleet(*kinds, completeKinds='["*"]'),
            "placement.yaml": everywhere(
                *(f"{one['namespace']}/{one['name']}" for one in gateways)
            ),
        }
    )
    return {
        f"{each.policy.kind} {each.policy.namespace}/{each.policy.name} | {entry.ancestor.kind} "
        f"{entry.ancestor.namespace}/{entry.ancestor.name}": " ".join(
            f"{item.type}={item.status}/{item.reason}"
            for item in entry.conditions
            if item.type in ("Accepted", "Attached")
        )
        for each in statuses(judge(project, (), "policies"), kind="AgentgatewayPolicy")
        for entry in each.ancestors
    }


def cluster(basis: list[Json], objects: list[Json]) -> list[Json]:
    """All objects of a case; of two of one name, the case's own."""
    by_name = {
        (one["kind"], one["metadata"].get("namespace"), one["metadata"]["name"]): one
        for one in (*basis, *objects)
    }
    return list(by_name.values())


@each(*range(3))
def test_the_statuses_are_those_that_agentgateway_writes(number: int) -> None:
    folder = folders()[number]
    name = folder["cases"][0]["case"].partition("/")[0]
    different = {
        case["case"]
        for case in folder["cases"]
        if tell(cluster(folder["basis"], case["objects"])) != case["statuses"]
    }
    assert different == {case for case in DIFFERENT if case.startswith(name)}


def test_no_case_is_left_out() -> None:
    assert [len(folder["cases"]) for folder in folders()] == [48, 18, 62]
