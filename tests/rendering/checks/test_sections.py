"""A section name must be one that its target has on the spoke."""

from tests.support import cases, end_to_end, manifest, rows_of
from tests.support.stages import CLASS, auth, everywhere, gateway, render, route, told

CODE = "SR1701"
LISTENERS = (
    "[{name: http, port: 80, allowedRoutes: {namespaces: {from: All}}}, "
    "{name: https, port: 443, allowedRoutes: {namespaces: {from: All}}}]"
)
SET = manifest(
    "ListenerSet infra/more", "parentRef: {name: web}, listeners: [{name: extra, port: 81}]"
)
ROUTE = route("cart", spec="rules: [{name: add}, {}]")
BARE = route("bare")
OF_A_RULE = "(correct the section name, or give the rule that name in the route) [eu us]"
CURE = "(correct the section name, or declare the listener in the rule's `as.listeners`) [eu us]"
OF_A_PORT = "(correct the section name, or give the port that name in the Service) [eu us]"
SERVICE = manifest(
    "Service shop/s", "ports: [{name: https, port: 8443}, {name: metrics, port: 9090}]"
)


def on_listener(section: str) -> str:
    return auth("p", f"kind: Gateway, name: web, sectionName: {section}")


def of_port(section: str) -> str:
    return manifest(
        "BackendTLSPolicy shop/p",
        f'targetRefs: [{{group: "", kind: Service, name: s, sectionName: {section}}}]',
    )


def found(text: str, as_: str = "{}", mode: str = "create", overrides: str = "") -> list[str]:
    documents = [
        CLASS,
        gateway("web", listeners=LISTENERS, spec="allowedListeners: {namespaces: {from: All}}"),
        SET,
        ROUTE,
        BARE,
        route("shop", spec="rules: [{backendRefs: [{name: s}]}]"),
        text,
    ]
    rules = everywhere(as_, mode)
    return told(render(documents, rules, overrides=overrides).results, CODE)


@cases(
    (on_listener("https"), "{}", "create"),
    (auth("p", "kind: Gateway, name: web"), "{}", "create"),
    (auth("p", "kind: ListenerSet, name: more, sectionName: extra"), "{}", "create"),
    (auth("p", "kind: HTTPRoute, name: cart, sectionName: add", "shop"), "{}", "create"),
    (auth("p", "kind: HTTPRoute, name: cart, sectionName: rule-2", "shop"), "{}", "create"),
    # A route without rules has one that nobody named.
    (auth("p", "kind: HTTPRoute, name: bare, sectionName: rule-1", "shop"), "{}", "create"),
    (route("r", "[{name: web, namespace: infra, sectionName: http}]"), "{}", "create"),
    # No file says which ports a Service of the spoke's own has.
    (of_port("any"), "{}", "create"),
    (of_port("https") + "---\n" + SERVICE, "{}", "create"),
    (of_port("8443") + "---\n" + SERVICE, "{}", "create"),
    (of_port("any") + "---\n" + SERVICE.replace("ports", "externalName"), "{}", "create"),
    # A listener of one spoke only.
    (on_listener("new"),
     "{listeners: [{name: new, port: 90}]}", "create"),
    (on_listener("http"), "{listeners: [{name: http}]}",
     "existing"),
    (on_listener("http"),
     "{listeners: [{name: '{{ \"http\" }}'}]}", "existing"),
)  # fmt: skip
def test_nothing_to_tell(text: str, as_: str, mode: str) -> None:
    assert found(text, as_, mode) == []


@cases(*rows_of(__file__, "a_section_that_is_not_there_is_an_error"))
def test_a_section_that_is_not_there_is_an_error(
    text: str, as_: str, mode: str, expected: str
) -> None:
    cures = {"in HTTPRoute": OF_A_RULE, "in Service": OF_A_PORT}
    cure = next((cure for place, cure in cures.items() if place in expected), CURE)
    assert found(text, as_, mode) == [f"{CODE} {expected} {cure}"]


def test_a_listener_that_an_override_takes_away_is_missed() -> None:
    overrides = (
        "- {target: {kind: Gateway}, spokes: {names: [us]}, "
        "patch: [{op: remove, path: /spec/listeners/1}]}"
    )
    text = on_listener("https")
    assert found(text, overrides=overrides) == [
        (
            'SR1701 AuthPolicy infra/p spec.targetRef.sectionName: "https" is not in Gateway '
            "infra/web "
            f'on the spoke (it has "http") {CURE.replace("eu us", "us")}'
        )
    ]


def test_a_section_is_an_error_where_the_controller_passes_over_such_a_target() -> None:
    """APISIX, of its policies for layer 4: the rule is there, and the policy is for nothing."""
    target = "{group: gateway.networking.k8s.io, kind: HTTPRoute, name: cart, sectionName: add}"
    api = "apisix.apache.org/v1alpha1"
    policy = manifest("L4RoutePolicy shop/p", f"targetRefs: [{target}]", api=api)
    kinds = (("apisix.apache.org", "L4RoutePolicy"), ("gateway.networking.k8s.io", "HTTPRoute"))
    files = {
        "fleet.yaml": end_to_end.fleet(*kinds),
        "placement.yaml": end_to_end.everywhere("infra/web"),
        "hub/hub.yaml": "---\n".join((CLASS, gateway("web", listeners=LISTENERS), ROUTE, policy)),
    }
    (line,) = told(end_to_end.rendered(files).results, CODE)
    assert line.startswith(
        f"{CODE} L4RoutePolicy shop/p spec.targetRefs[0].sectionName: its controller ignores a "
        "target with a section name (remove sectionName)"
    )


def test_parts_of_a_backend_are_sections() -> None:
    """The parts are those of agentgateway (75b4e6c, plugins/reference_indexes.go)."""
    group, api = "agentgateway.dev", "agentgateway.dev/v1alpha1"
    tools = manifest("AgentgatewayBackend shop/tools", "mcp: {targets: [{name: files}]}", api=api)
    target = f"group: {group}, kind: AgentgatewayBackend, name: tools"
    policies = (
        manifest(
            f"AgentgatewayPolicy shop/{part}",
            f"targetRefs: [{{{target}, sectionName: {part}}}]",
            api=api,
        )
        for part in ("files", "gone")
    )
    to_tools = route("all", spec=f"rules: [{{backendRefs: [{{{target}}}]}}]")
    kinds = tuple((group, kind) for kind in ("AgentgatewayPolicy", "AgentgatewayBackend"))
    files = {
        "fleet.yaml": end_to_end.fleet(*kinds, ("gateway.networking.k8s.io", "HTTPRoute")),
        "placement.yaml": end_to_end.everywhere("infra/web"),
        "hub/hub.yaml": "---\n".join(
            (CLASS, gateway("web", listeners=LISTENERS), to_tools, tools, *policies)
        ),
    }
    (line,) = told(end_to_end.rendered(files).results, CODE)
    assert line.startswith(
        f"{CODE} AgentgatewayPolicy shop/gone spec.targetRefs[0].sectionName: "
        '"gone" is not in AgentgatewayBackend shop/tools on the spoke (it has "files") '
        "(correct the section name, or give a part that name)"
    )
