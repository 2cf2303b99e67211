"""The Gateway API's conformance suite judges us by the rules of each controller.

Its tests make objects in a small API server and wait for statuses, which are those of `status`.
Then they send requests to Gateways: what becomes of these is what `ask` says.
"""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct

from tests.live import agreement
from tests.live.agreement import Report
from tests.live.building import program
from tests.live.hubs import COMPLETE
from tests.live.small_api import SmallApi
from tests.live.small_api_answers import Proxies
from tests.live.small_api_server import SmallApiServer, serving
from tests.live.small_api_statuses import NET, write_statuses
from tests.support import rows_of
from tests.support.cases import each

pytestmark = pytest.mark.live


Json = dict[str, Any]
RELEASE = "gateway-api@v1.6.3/experimental"
CLASS = "eg"
ADDRESSES = {"IPAddress": (f"{NET}255.1", "192.0.2.1"), "Hostname": (f"{NET}example", "gone")}
"""An address that Gateways can have and one that they cannot, by type."""
_WAITS = rows_of(__file__, "waits")
"""So long a test waits that fails here: our answers are there at once."""
MESH = rows_of(__file__, "mesh")
"""The features of routes whose parents are Services, which are nobody's Gateways."""


_CONNECTION = "it sends bytes to a Gateway, where no proxy is"
_HANDSHAKE = "it is about certificates that are shown in a handshake"
_MIRROR = "it reads the logs of the backends that get copies"
EXPLAINED = rows_of(__file__, "explained")
"""Tests that fail, and why."""
OF_TRAFFIC = {
    "BackendTLSPolicy": _HANDSHAKE,
    "BackendTLSPolicySANValidation": _HANDSHAKE,
    "GatewayFrontendClientCertificateValidation": _HANDSHAKE,
    "GatewayFrontendClientCertificateValidationInsecureFallback": _HANDSHAKE,
    "GatewayTLSBackendClientCertificate": _HANDSHAKE,
    "HTTPRouteBackendProtocolWebSocket": _CONNECTION,
    "HTTPRouteRequestMirror": _MIRROR,
    "HTTPRouteRequestMultipleMirrors": _MIRROR,
    "HTTPRouteRequestPercentageMirror": _MIRROR,
    "HTTPRouteRetry": "it counts what a backend is sent until it answers",
    **dict.fromkeys(
        (
            "TCPRouteMultipleRoutesAttachment", "TCPRouteParentRefAttachAll",
            "TCPRouteParentRefPortAndSectionName", "TCPRouteReferenceGrant",
            "TCPRouteWeightedRouting", "TLSRouteHostnameIntersection",
            "TLSRouteInvalidBackendRefNonexistent", "TLSRouteInvalidBackendRefUnknownKind",
            "TLSRouteMixedTerminationSameNamespace", "TLSRouteSimpleSameNamespace",
            "TLSRouteTerminateSimpleSameNamespace", "UDPRoute",
            "UDPRouteMultipleRoutesAttachment", "UDPRouteParentRefAttachAllListeners",
            "UDPRouteParentRefPortAndSectionName", "UDPRouteReferenceGrant",
            "UDPRouteWeightedRouting",
        ),
        _CONNECTION,
    ),
}  # fmt: skip
"""Tests that fail as they need the traffic itself."""
ENOUGH = 0.95
"""So many tests pass of those that need no traffic."""


class Claimed(Struct, frozen=True):
    """A controller, and the features and tests that its own runs of the suite leave out."""

    controller: str
    release: str
    class_controller: str
    exempt: tuple[str, ...]
    skipped: tuple[str, ...]
    addresses: str = "IPAddress"
    """The type of the addresses in its own runs."""


_MISDIRECTED = "GatewayHTTPSListenerDetectMisdirectedRequests"
CONTROLLERS = (
    # By its report of v1.8.0, in conformance/reports/v1.5 of the suite's module.
    Claimed(
        "Envoy Gateway",
        "v1.9.1",
        "gateway.envoyproxy.io/gatewayclass-controller",
        ("GatewayInfrastructure", _MISDIRECTED),
        ("ListenerSetHostnameConflict", "ListenerSetProtocolConflict"),
    ),
    # supported_features.go and tests/integration/pilot/gateway_conformance_test.go of its module.
    Claimed(
        "Istio",
        "1.31 (eed52eb)",
        "istio.io/gateway-controller",
        ("GatewayBackendClientCertificate", _MISDIRECTED, "UDPRoute"),
        ("GatewayListenerUnsupportedProtocol", "TCPRouteWeightedRouting"),
        "Hostname",
    ),
)


def run_suite(claimed: Claimed, folder: Path) -> list[Json]:
    """Run the suite, and return the results of its tests."""
    api = SmallApi(RELEASE, write_statuses)
    gateway_class = {
        "apiVersion": "gateway.networking.k8s.io/v1",
        "metadata": {"name": CLASS, "annotations": {COMPLETE: "true"}},
        "spec": {"controllerName": claimed.class_controller},
    }
    api.create(api.find("gateway.networking.k8s.io", "gatewayclasses"), "", gateway_class)
    usable, unusable = (
        [{"type": claimed.addresses, "value": value}] for value in ADDRESSES[claimed.addresses]
    )
    options = {
        "gatewayClassName": CLASS,
        "enableAllSupportedFeatures": True,
        "exemptFeatures": [*MESH, *claimed.exempt],
        "skipTests": claimed.skipped,
        "usableNetworkAddresses": usable,
        "unusableNetworkAddresses": unusable,
        "disableParallelTests": True,
        "timeoutConfig": _WAITS,
    }
    (folder / "options.yaml").write_text(json.dumps(options))
    servers = serving(SmallApiServer(api).handle), serving(Proxies(api).handle)
    with servers[0] as url, servers[1] as asked, (folder / "log").open("wb") as log:
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
        named = {"KUBECONFIG": folder / "kubeconfig", "RESULTS": folder / "results", "ASKED": asked}
        env = {**os.environ, **{key: str(path) for key, path in named.items()}}
        subprocess.run(command, env=env, stdout=log, stderr=log)
    return [json.loads(line) for line in (folder / "results").read_text().splitlines()]


@each(*CONTROLLERS, ids=lambda claimed: claimed.controller)
def test_the_suite_passes(claimed: Claimed, tmp_path: Path, report: Report) -> None:
    """Most of its CPU seconds are those of our answers to some ten thousand questions."""
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
    report(row)
    for name in sorted(failing):
        report(f"{name}: {(EXPLAINED | OF_TRAFFIC).get(name)}")
    assert failing <= {*EXPLAINED, *OF_TRAFFIC}, (tmp_path / "log").read_text()[-5000:]
    needing = failing & OF_TRAFFIC.keys()
    assert len(failing - needing) <= (1 - ENOUGH) * (len(results) - len(needing))
