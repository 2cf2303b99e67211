"""The Gateway API's conformance manifests with policies, and what its tests expect of each.

The expectations are those of `conformance/tests/backendtlspolicy*.go`. Where they depend on age,
the suite applies a file's documents in order, so that is what is given here.
"""

from pathlib import Path
from typing import Any

from spokerender.formats import yamlio
from spokerender.judging.attachment.statuses import Attachment
from spokerender.kinds.catalogue import Catalogue
from spokerender.topology.graph import Topology
from spokerender.topology.reading import read_node
from tests.judging.attachment.policies import ref_of, subjects_of
from tests.support import each, rows_of
from tests.support.attaching import attach

NAMESPACE = "gateway-conformance-infra"
# The suite makes them itself.
GENERATED = [
    {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": NAMESPACE},
        "data": {"ca.crt": "certificate"},
    }
    for name in ("tls-checks-ca-certificate", "mismatch-ca-certificate", "backend-tls-certificate")
]

EXPECTED = rows_of(__file__, "expected")


def documents(path: Path) -> list[Any]:
    return [document.value for document in yamlio.read(path.read_bytes(), path.name)[0]]


def attached(folder: Path, name: str) -> dict[str, Attachment]:
    own = documents(folder / f"{name}.yaml")
    data = [*documents(folder / "_base-manifests.yaml"), *GENERATED, *own]
    catalogue = Catalogue.of([])
    topology = Topology(read_node(ref_of(item), item, catalogue) for item in data)
    found = attach(
        topology,
        subjects_of(own, catalogue),
        objects={ref_of(item): item for item in data},
        ages={ref_of(item): index for index, item in enumerate(own)},
        unseen=(),
    )
    return {item.policy.name: item for item in found}


@each(*EXPECTED)
def test_conditions(name: str, fixtures: Path) -> None:
    found = attached(fixtures / "gateway-api" / "conformance-manifests", name)
    conditions = {
        policy: [
            text
            for condition in (item.accepted, item.resolved_refs)
            for text in (condition.status.value, condition.reason)
        ]
        for policy, item in found.items()
    }
    assert conditions == EXPECTED[name]


@each(*EXPECTED)
def test_the_ancestor_is_the_gateway_that_the_route_is_on(name: str, fixtures: Path) -> None:
    for item in attached(fixtures / "gateway-api" / "conformance-manifests", name).values():
        assert all((ref.kind, ref.namespace) == ("Gateway", NAMESPACE) for ref in item.ancestors)
        assert item.ancestors


def test_every_manifest_with_a_policy_has_an_expectation(fixtures: Path) -> None:
    folder = fixtures / "gateway-api" / "conformance-manifests"
    found = {
        path.stem
        for path in folder.glob("*.yaml")
        if any(item["kind"].endswith("Policy") for item in documents(path))
    }
    assert found - EXPECTED.keys() == OTHERS


# Their policies are there for traffic; they are checked below.
OTHERS = {
    "backendtlspolicy-grpcroute",
    "backendtlspolicy-tlsroute-terminate",
    "gateway-tls-backend-client-certificate",
}


@each(*sorted(OTHERS))
def test_policies_that_traffic_needs_are_accepted(name: str, fixtures: Path) -> None:
    found = attached(fixtures / "gateway-api" / "conformance-manifests", name)
    assert found
    assert {item.accepted.reason for item in found.values()} == {"Accepted"}
