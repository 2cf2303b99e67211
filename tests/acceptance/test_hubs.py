"""Hubs of real projects: each is refused for the mistakes that are really in it, and for no other.

The verdicts were written by hand, by reading the hubs, before the renderer ran on them.
"""

from pathlib import Path

from spokerender.findings.results import Severity
from tests.acceptance.hubs import (
    CURRENT,
    OLD,
    Finding,
    hub,
    kinds_left,
    render,
    told,
)
from tests.support import each, rows_of

REFUSED: dict[str, tuple[list[str], list[Finding]]] = rows_of(__file__, "refused")


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
    assert told(found, Severity.ERROR) == sorted(map(tuple, expected))
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
