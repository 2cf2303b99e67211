"""Waves of an engine that are the groups of the rollout."""

import pytest

from spokerender.findings.errors import InputError
from tests.support import each, manifest
from tests.support.project import FLEET, PLACEMENT, rendered

HUB = manifest(
    "Gateway infra/web",
    "gatewayClassName: istio, listeners: [{name: http, port: 80, protocol: HTTP}]",
)
SPOKES = f"""\
{PLACEMENT}  spokes: [{{name: a}}, {{name: b, labels: {{tier: prod}}}}, {{name: c}}]
  rules: [{{gateways: {{names: [infra/web]}}, spokes: {{all: true}}}}]
"""
ROLLOUT = """\
  rollout:
    groups:
    - {name: canary, spokes: {names: [c]}}
    - {name: prod, spokes: {selector: {matchLabels: {tier: prod}}}}
"""
LISTED = "[{spokes: {names: [c]}}, {spokes: {names: [b]}}, {spokes: {all: true}}]"
ENGINES = {
    "argocd": 'argocd: {{repoURL: "https://example.com/a.git", waves: {waves}}}',
    "flux": "flux: {{waves: {waves}}}",
}


def files(engine: str, waves: str, rollout: str = ROLLOUT) -> dict[str, bytes]:
    delivery = ENGINES[engine].format(waves=waves)
    fleet = f"{FLEET}  policiesToSync: []\n{rollout}  delivery:\n    {delivery}\n"
    answer = rendered(HUB, SPOKES, fleet)
    assert [result for result in answer.results if result.code == "SR1801"] == []
    return dict(answer.tree.files("_fleet"))


@each(*ENGINES)
def test_groups_are_said_once(engine: str) -> None:
    assert files(engine, "rollout") == files(engine, LISTED)
    assert files(engine, "rollout") != files(engine, "[]")


@each(*ENGINES)
def test_without_a_rollout_it_is_refused(engine: str) -> None:
    delivery = ENGINES[engine].format(waves="rollout")
    fleet = f"{FLEET}  policiesToSync: []\n  delivery:\n    {delivery}\n"
    (result,) = (r for r in rendered(HUB, SPOKES, fleet).results if r.code == "SR1801")
    assert result.field == f"spec.delivery.{engine}"
    assert "which fleet.yaml does not have" in result.message
    assert result.cure == "add spec.rollout, or list the waves"


def test_applications_have_no_waves_of_a_rollout_either() -> None:
    fleet = (
        f"{FLEET}  policiesToSync: []\n{ROLLOUT}  delivery:\n"
        "    argocd: {repoURL: x, kind: Application, waves: rollout}\n"
    )
    with pytest.raises(InputError) as refused:
        rendered(HUB, SPOKES, fleet)
    assert [result.message for result in refused.value.results] == [
        "only an ApplicationSet has waves"
    ]
