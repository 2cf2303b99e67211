"""One target twice in one object, or the whole of it and a section."""

from tests.support import cases, manifest
from tests.support.stages import CLASS, gateway, render, route, told

CODE = "SR1702"
CURE = "(give the entries different section names, or place the gateways apart) [eu]"
APART = "{}", "{}"
TOGETHER = (
    "{name: one, listeners: [{name: http}, {name: other}]}",
    "{name: one, listeners: [{name: http}, {name: other}]}",
)


def policy(
    *targets: str, group: str = "gateway.envoyproxy.io", kind: str = "SecurityPolicy"
) -> str:
    entries = ", ".join(
        f"{{group: gateway.networking.k8s.io, kind: Gateway, {t}}}" for t in targets
    )
    return manifest(f"{kind} infra/p", f"targetRefs: [{entries}]", api=f"{group}/v1")


def found(text: str, places: tuple[str, str]) -> list[str]:
    rules = "".join(
        f"- {{gateways: {{names: [infra/{name}]}}, spokes: {{names: [eu]}}, mode: existing, as: "
        f"{as_}}}\n"
        if as_ != "{}"
        else f"- {{gateways: {{names: [infra/{name}]}}, spokes: {{names: [eu]}}}}\n"
        for name, as_ in zip(("web", "api"), places, strict=True)
    )
    return told(render([CLASS, gateway("web"), gateway("api"), text], rules).results, CODE)


def parents(*entries: str) -> str:
    return route("r", f"[{', '.join(f'{{{entry}, namespace: infra}}' for entry in entries)}]")


@cases(
    (policy("name: web", "name: api"), APART),
    (policy("name: web, sectionName: http", "name: web, sectionName: other"), APART),
    (policy("name: web, sectionName: http", "name: api, sectionName: other"), TOGETHER),
    # Envoy Gateway takes the whole and a section in one list.
    (policy("name: web", "name: web, sectionName: http"), APART),
    (parents("name: web", "name: api"), APART),
    (parents("name: web, sectionName: http", "name: web, sectionName: other"), APART),
    (parents("name: web, port: 80", "name: web, port: 81"), APART),
    (parents("name: web, sectionName: http", "name: api, sectionName: other"), TOGETHER),
    # What two gateways of the hub are becomes one entry.
    (policy("name: web", "name: api"), TOGETHER),
    (policy("name: web, sectionName: http", "name: api, sectionName: http"), TOGETHER),
    (parents("name: web", "name: api"), TOGETHER),
    (parents("name: web", "name: api, sectionName: http"), TOGETHER),
    (parents("name: web, sectionName: http", "name: api, sectionName: http"), TOGETHER),
)
def test_nothing_to_tell(text: str, places: tuple[str, str]) -> None:
    assert found(text, places) == []


@cases(
    (
        policy(
            "name: web",
            "name: api, sectionName: http",
            group="gateway.networking.k8s.io",
            kind="BackendTLSPolicy",
        ),
        TOGETHER,
        (
            "BackendTLSPolicy infra/p spec.targetRefs[1]: one entry names the whole and "
            "another a section of Gateway infra/one"
        ),
    ),
    (parents("name: web", "name: web"), APART,
     "HTTPRoute shop/r spec.parentRefs[1]: two entries name Gateway infra/web"),
    (parents("name: web", "name: api", "name: api, sectionName: http"), APART,
     ("HTTPRoute shop/r spec.parentRefs[2]: one entry names the whole and another a section "
      "of Gateway infra/api")),
)  # fmt: skip
def test_a_target_that_is_named_twice_is_an_error(
    text: str, places: tuple[str, str], expected: str
) -> None:
    assert found(text, places) == [f"{CODE} {expected} on the spoke {CURE}"]
