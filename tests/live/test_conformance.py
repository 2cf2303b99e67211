"""The Gateway API's conformance suite judges our statuses, of each controller with its features.

Its tests make objects in a small API server, and wait for statuses, which are ours.
"""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct

from tests.live import agreement
from tests.live.building import program
from tests.live.small_api import SmallApi
from tests.live.small_api_server import SmallApiServer, serving
from tests.live.small_api_statuses import NET, write_statuses
from tests.support.cases import each

pytestmark = pytest.mark.live

Json = dict[str, Any]
RELEASE = "gateway-api@v1.6.3/experimental"
CLASS = "conformance"
USABLE, UNUSABLE = f"{NET}255.1", "192.0.2.1"
_SECONDS = 4
"""So long a test waits for a status: ours is there at once."""
_WAITS = (
    "gatewayMustHaveAddress", "gatewayMustHaveCondition", "gatewayStatusMustHaveListeners",
    "gatewayListenersMustHaveConditions", "listenerSetMustHaveCondition",
    "listenerSetListenersMustHaveConditions", "gwcMustBeAccepted", "httpRouteMustNotHaveParents",
    "httpRouteMustHaveCondition", "tlsRouteMustHaveCondition", "tcpRouteMustHaveCondition",
    "udpRouteMustHaveCondition", "routeMustHaveParents", "maxTimeToConsistency",
    "namespacesMustBeReady", "latestObservedGenerationSet", "defaultTestTimeout",
)  # fmt: skip


MESH = (
    "Mesh", "MeshClusterIPMatching", "MeshConsumerRoute", "MeshHTTPRouteRewritePath",
    "MeshHTTPRouteSchemeRedirect", "MeshHTTPRouteRedirectPort", "MeshHTTPRouteRedirectPath",
    "MeshHTTPRouteBackendRequestHeaderModification", "MeshHTTPRouteQueryParamMatching",
    "MeshHTTPRouteNamedRouteRule",
)  # fmt: skip
"""The features of routes whose parents are Services, which are nobody's Gateways."""


_CONNECTION = "it connects to a Gateway, where no proxy is"
_CALL = "it calls a service of gRPC, and no calls are answered here"
EXPLAINED = {
    "BackendTLSPolicy": "a CA certificate that is empty counts as one",
    "GatewayInfrastructureMetadata": "it asks for what a controller makes of a Gateway",
    "GatewayInvalidTLSBackendConfiguration": "of a Secret without data, the data is in no file",
    "GRPCExactMethodMatching": _CALL,
    "GRPCRouteHeaderMatching": _CALL,
    "GRPCRouteListenerHostnameMatching": _CALL,
    "GRPCRouteNamedRule": _CALL,
    "TLSRouteHostnameIntersection": _CONNECTION,
    "TLSRouteInvalidBackendRefNonexistent": _CONNECTION,
    "TLSRouteInvalidBackendRefUnknownKind": _CONNECTION,
}
"""Tests that fail, and why."""
OF_TRAFFIC = {
    "GRPCRouteWeight": _CALL,
    "HTTPRouteBackendProtocolWebSocket": _CONNECTION,
    "HTTPRouteRequestMirror": "it reads the logs of the backends",
    "HTTPRouteRequestMultipleMirrors": "it reads the logs of the backends",
    **dict.fromkeys(
        (
            "TCPRouteMultipleRoutesAttachment", "TCPRouteParentRefAttachAll",
            "TCPRouteParentRefPortAndSectionName", "TCPRouteReferenceGrant",
            "TCPRouteWeightedRouting", "TLSRouteMixedTerminationSameNamespace",
            "TLSRouteSimpleSameNamespace", "TLSRouteTerminateSimpleSameNamespace",
            "UDPRoute", "UDPRouteMultipleRoutesAttachment", "UDPRouteParentRefAttachAllListeners",
            "UDPRouteParentRefPortAndSectionName", "UDPRouteReferenceGrant",
            "UDPRouteWeightedRouting",
        ),
        _CONNECTION,
    ),
}  # fmt: skip
"""Tests that fail as they need the traffic itself: bytes of connections, mirrors, weights."""
ENOUGH = 0.95
"""So many tests pass of those that need no traffic."""


class Claimed(Struct, frozen=True):
    """A controller, and the features that its own runs of the suite leave out."""

    controller: str
    release: str
    class_controller: str
    exempt: tuple[str, ...]


CONTROLLERS = (
    Claimed(
        "Envoy Gateway",
        "v1.9.1",
        "gateway.envoyproxy.io/gatewayclass-controller",
        ("GatewayInfrastructure", "GatewayHTTPSListenerDetectMisdirectedRequests"),
    ),
    Claimed(
        "Istio",
        "1.31 (eed52eb)",
        "istio.io/gateway-controller",
        (
            "GatewayBackendClientCertificate",
            "GatewayHTTPSListenerDetectMisdirectedRequests",
            "UDPRoute",
        ),
    ),
)


def run_suite(claimed: Claimed, folder: Path) -> list[Json]:
    """Run the suite, and return the results of its tests."""
    api = SmallApi(RELEASE, write_statuses)
    gateway_class = {
        "apiVersion": "gateway.networking.k8s.io/v1",
        "metadata": {"name": CLASS},
        "spec": {"controllerName": claimed.class_controller},
    }
    api.create(api.find("gateway.networking.k8s.io", "gatewayclasses"), "", gateway_class)
    options = {
        "gatewayClassName": CLASS,
        "enableAllSupportedFeatures": True,
        "exemptFeatures": [*MESH, *claimed.exempt],
        "usableNetworkAddresses": [{"type": "IPAddress", "value": USABLE}],
        "unusableNetworkAddresses": [{"type": "IPAddress", "value": UNUSABLE}],
        "disableParallelTests": True,
        "timeoutConfig": dict.fromkeys(_WAITS, f"{_SECONDS}s"),
    }
    (folder / "options.yaml").write_text(json.dumps(options))
    with serving(SmallApiServer(api).handle) as url, (folder / "log").open("wb") as log:
        cluster = {"name": "c", "cluster": {"server": url}}
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "c",
            "clusters": [cluster],
            "contexts": [{"name": "c", "context": {"cluster": "c", "user": ""}}],
        }
        (folder / "kubeconfig").write_text(json.dumps(config))
        command = [program("conformance"), "-test.v", "-test.timeout=20m"]
        command += ["--conformance-options-file", str(folder / "options.yaml")]
        named = {"KUBECONFIG": folder / "kubeconfig", "RESULTS": folder / "results"}
        env = {**os.environ, **{key: str(path) for key, path in named.items()}}
        subprocess.run(command, env=env, stdout=log, stderr=log)
    return [json.loads(line) for line in (folder / "results").read_text().splitlines()]


@each(*CONTROLLERS, ids=lambda claimed: claimed.controller)
def test_the_suite_passes(
    claimed: Claimed, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It sends no requests yet: a test ends well where it would send the first one."""
    results = [one for one in run_suite(claimed, tmp_path) if not one["skipped"]]
    failing = {one["name"] for one in results if one["failed"]}
    row = agreement.Agreement(
        claimed.controller,
        claimed.release,
        f"conformance tests of {RELEASE.partition('/')[0]}",
        len(results),
        "",
        len(results) - len(failing),
        different=len(failing),
        explained=len(failing & {*EXPLAINED, *OF_TRAFFIC}),
        of="tests of what it claims",
    )
    agreement.write([row])
    with capsys.disabled():
        print(f"\n{row}")  # noqa: T201  (it is asked for)
        for name in sorted(failing):
            print(f"{name}: {(EXPLAINED | OF_TRAFFIC).get(name)}")  # noqa: T201  (as above)
    assert failing <= {*EXPLAINED, *OF_TRAFFIC}, (tmp_path / "log").read_text()[-5000:]
    needing = failing & OF_TRAFFIC.keys()
    assert len(failing - needing) <= (1 - ENOUGH) * (len(results) - len(needing))
