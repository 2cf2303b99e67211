"""A GatewayClass with its parameters."""

from typing import Any

from msgspec.structs import replace

from spokerender.findings.results import Result
from spokerender.formats import yamlio
from spokerender.model import GATEWAY_API, Ref
from spokerender.rendering.sync import read_parameters
from spokerender.rendering.values.placement import ClassParameters
from spokerender.topology.hub import Hub, read_hub
from tests.support.stages import GATEWAY

AUTH = ("kuadrant.io", "AuthPolicy")
CLASS = Ref(GATEWAY_API, "GatewayClass", "", "hub")
NOTHING = ClassParameters()


def objects(case: dict[str, Any]) -> Hub:
    gateway_class = {
        "apiVersion": "gateway.networking.k8s.io/v1",
        "kind": "GatewayClass",
        "metadata": {"name": "hub"},
        "spec": {"controllerName": "a.example/b", "parametersRef": case["parametersRef"]},
    }
    found = [gateway_class]
    if "configMap" in case:
        metadata = {"name": "c", "namespace": "ns"}
        config_map = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}
        found.append({**config_map, **case["configMap"]})
    text = "---\n".join(map(yamlio.emit, found))
    return read_hub([("hub/a.yaml", text.encode()), ("hub/gateway.yaml", GATEWAY.encode())])


def asked(found: Hub, *, tolerant: bool = False) -> tuple[ClassParameters, list[Result]]:
    """The parameters of the class, but for the ConfigMap that they are from, and the findings."""
    manifests = {manifest.ref: manifest for manifest in found.manifests}
    parameters, results = read_parameters(
        manifests[CLASS], manifests, found.catalogue, frozenset(), tolerant=tolerant
    )
    return replace(parameters, config_map=None), results
