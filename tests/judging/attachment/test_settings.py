"""What a controller's own configuration decides: on, off, and declared nowhere."""

from spokerender.judging.attachment.statuses import Attachment
from spokerender.kinds.settings import ConfiguredController
from tests.judging.attachment.policies import (
    GATEWAY,
    GATEWAYS,
    SECURITY,
    attachments,
    policy,
    status,
    told,
)
from tests.support import cases, manifest, rows_of

EG = "gateway.envoyproxy.io"
NAME = f"{EG}/gatewayclass-controller"
NGINX = "gateway.nginx.org"
BACKEND = manifest(
    "Backend infra/far",
    "endpoints: [{fqdn: {hostname: a.example, port: 80}}]",
    api="gateway.envoyproxy.io/v1alpha1",
)
FAR = "{group: gateway.envoyproxy.io, kind: Backend, name: far, port: 80}"
ON_GATEWAY = f"targetRefs: [{GATEWAY}]"
BY_BACKEND = policy(SECURITY, "p", f"{{{ON_GATEWAY}, extAuth: {{http: {{backendRefs: [{FAR}]}}}}}}")
GLOBAL = policy(
    f"{EG}/v1alpha1/BackendTrafficPolicy", "p", f"{{{ON_GATEWAY}, rateLimit: {{global: {{}}}}}}"
)
PATCH = policy(f"{EG}/v1alpha1/EnvoyPatchPolicy", "p", f"{{targetRef: {GATEWAY}}}")
LUA = policy(f"{EG}/v1alpha1/EnvoyExtensionPolicy", "p", f"{{{ON_GATEWAY}, lua: [{{inline: x}}]}}")
SNIPPETS = policy(f"{NGINX}/v1alpha1/SnippetsPolicy", "p", f"{{{ON_GATEWAY}}}")
APIS = "extensionApis"


def only(document: str, settings: dict[str, object] | None, name: str = NAME) -> Attachment:
    entries = [ConfiguredController(name, settings)] if settings is not None else []
    classes = manifest("GatewayClass istio", f"controllerName: {name}")
    return attachments(GATEWAYS, BACKEND, classes, document, configured=entries)["infra/p"]


@cases(*rows_of(__file__, "envoy_gateway"))
def test_envoy_gateway(document: str, on: dict[str, object], reason: str) -> None:
    assert status(only(document, None)) == ("Unknown", "Unverified")
    assert told(only(document, None)) == []
    assert status(only(document, on)) == ("True", "Accepted")
    assert status(only(document, {})) == ("False", reason)
    assert len(told(only(document, {}))) == 1


@cases(*rows_of(__file__, "lua_has_a_setting_and_its_opposite"))
def test_lua_has_a_setting_and_its_opposite(settings: dict[str, object], expected: str) -> None:
    assert status(only(LUA, settings))[0] == expected


def test_what_fails_and_what_is_ignored() -> None:
    assert (
        only(GLOBAL, {}).failing
        == "spec.rateLimit has global rules, and needs rateLimit, and that is off"
    )
    assert only(PATCH, {}).failing == ""
    assert only(GLOBAL, None).accepted.message == (
        "attached to Gateway infra/web; spec.rateLimit has global rules, and needs rateLimit, "
        "which `controllers` in fleet.yaml does not declare (off by default in Envoy Gateway "
        "v1.9.1)"
    )


def test_other_backends_need_no_setting() -> None:
    text = BY_BACKEND.replace(FAR, "{name: cart, port: 80}")
    assert status(only(text, {})) == status(only(text, None)) == ("True", "Accepted")


def test_nginx() -> None:
    name = f"{NGINX}/nginx-gateway-controller"
    assert status(only(SNIPPETS, None, name))[0] == "Unknown"
    assert status(only(SNIPPETS, {"snippets": True}, name)) == ("True", "Accepted")
    assert status(only(SNIPPETS, {"snippets": False}, name)) == ("False", "Disabled")


def test_the_settings_of_one_controller_are_not_those_of_another() -> None:
    entries = [ConfiguredController(f"{NGINX}/nginx-gateway-controller", {"snippets": True})]
    item = attachments(GATEWAYS, GLOBAL, configured=entries)["infra/p"]
    assert item.accepted.reason != "Accepted"
