"""Cases of OCM's placement: objects in, OCM's own answer out (tests/data/cases/ocm)."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from spokerender.formats.yamlio import read
from spokerender.model import Origin
from spokerender.wings.hubs.ocm.inventory import (
    Clock,
    HubObject,
    Inventory,
    Question,
    read_inventory,
)
from spokerender.wings.hubs.ocm.reading import VERSIONS
from tests.conftest import DATA

CASES = DATA / "cases/ocm"


def load_cases(name: str) -> Any:
    """Read a file of cases."""
    documents, problems = read((CASES / name).read_bytes(), name)
    assert not problems
    return documents[0].value


def inventory_of(objects: Iterable[Mapping[str, Any]]) -> Inventory:
    """Read the objects of a case, with all taints."""
    items = (HubObject(data, lambda: Origin("case.yaml")) for data in objects)
    return read_inventory(items, honours_liveness=True)


def question_of(case: Mapping[str, Any]) -> Question:
    """Return the question of a case: its first Placement, with the history that it gives."""
    inventory = inventory_of(case["objects"])
    first = next(data for data in case["objects"] if data["kind"] == "Placement")["metadata"]
    request = inventory.requests_by_key[f"{first['namespace']}/{first['name']}"]
    own: list[str] = []
    others = Counter[str]()
    for decision in inventory.decisions:
        if (decision.namespace, decision.placement) == (request.namespace, request.name):
            own += decision.clusters
        else:
            others.update(decision.clusters)
    return Question(request, inventory, Clock(case.get("now", "")), frozenset(own), others)


def ocm_object(
    kind: str, name: str, namespace: str = "", labels: str = "{}", more: str = ""
) -> str:
    """An object of OCM as YAML; `more` are its other fields."""
    place = f", namespace: {namespace}" if namespace else ""
    return (
        f"apiVersion: cluster.open-cluster-management.io/{VERSIONS[kind]}\nkind: {kind}\n"
        f"metadata: {{name: {name}{place}, labels: {labels}}}\n{more}"
    )


def managed(name: str, labels: str = "{}", more: str = "", status: str = "{}") -> str:
    """A ManagedCluster."""
    rest = f"spec: {{hubAcceptsClient: true{more}}}\nstatus: {status}\n"
    return ocm_object("ManagedCluster", name, labels=labels, more=rest)


def placement(spec: str = "{}", name: str = "web", namespace: str = "infra") -> str:
    """A Placement."""
    return ocm_object("Placement", name, namespace, more=f"spec: {spec}\n")


def binding(name: str = "global", namespace: str = "infra") -> str:
    """A binding to a set."""
    spec = f"spec: {{clusterSet: {name}}}\n"
    return ocm_object("ManagedClusterSetBinding", name, namespace, more=spec)


def decision(
    *clusters: str, number: int = 1, group: str = "", index: str = "0", name: str = "web"
) -> str:
    """A PlacementDecision in a hub."""
    label = "cluster.open-cluster-management.io"
    labels = (
        f'{{{label}/placement: {name}, {label}/decision-group-name: "{group}", '
        f'{label}/decision-group-index: "{index}"}}'
    )
    names = ", ".join(f'{{clusterName: {cluster}, reason: ""}}' for cluster in clusters)
    status = f"status: {{decisions: [{names}]}}\n"
    return ocm_object("PlacementDecision", f"{name}-decision-{number}", "infra", labels, status)


def labelled(gateway: str, name: str = "web") -> str:
    """A Gateway with the label that names its Placement."""
    label = f"labels: {{cluster.open-cluster-management.io/placement: {name}}}"
    return gateway.replace("namespace: infra}", f"namespace: infra, {label}}}", 1)


def documents(*texts: str) -> str:
    """Several documents in one file."""
    return "---\n".join(texts)
