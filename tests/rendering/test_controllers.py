"""`controllers` of a fleet file: from the file to the status, and what is wrong with its line."""

from spokerender.findings.results import Severity
from spokerender.judging.fleet.judged import Aspect
from spokerender.pipeline import judge
from tests.support import cases, manifest, rows_of
from tests.support.stages import gateway, render

ENVOY = "gateway.envoyproxy.io/gatewayclass-controller"
CLASS = manifest("GatewayClass hub", f"controllerName: {ENVOY}")
LIMITS = manifest(
    "BackendTrafficPolicy infra/limits",
    "targetRefs: [{group: gateway.networking.k8s.io, kind: Gateway, name: web}], "
    "rateLimit: {type: Global, global: {rules: []}}",
)
SYNCED = "policiesToSync: [{group: gateway.envoyproxy.io, kind: BackendTrafficPolicy}]\n"
HUB = (CLASS, gateway("web"), LIMITS)


@cases(*rows_of(__file__, "the_status_on_a_spoke"))
def test_the_status_on_a_spoke(settings: str, expected: str) -> None:
    judged_fleet = judge(render(HUB, settings=SYNCED + settings), (), Aspect.POLICIES)
    attachments = judged_fleet.judged["eu"].judgement.attachments
    assert [item.accepted.status.value for item in attachments.values()] == [expected]


def test_what_is_wrong_is_told_at_once_with_its_line() -> None:
    settings = (
        f"{SYNCED}controllers:\n- name: {ENVOY}\n  settings:\n    rateLimit: true\n"
        f"    extensionApis: {{enableRedis: true}}\n- name: {ENVOY}\n"
    )
    rendered = render(HUB, settings=settings)
    errors = [item for item in rendered.results if item.severity is Severity.ERROR]
    assert [(item.code, item.field, item.message) for item in errors] == [
        ("SR1105", "spec.controllers[0].settings.rateLimit", "has to be a mapping"),
        (
            "SR1103",
            "spec.controllers[0].settings.extensionApis.enableRedis",
            "is no setting that decides about policies",
        ),
        ("SR1105", "spec.controllers[1].name", f"{ENVOY} is configured twice"),
    ]
