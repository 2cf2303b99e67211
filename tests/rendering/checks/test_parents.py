"""Listeners of a parent that a route is on no longer, one of several or all of them."""

from tests.support import cases, rows_of
from tests.support.stages import CLASS, gateway, render, route, told

CODES = ("SR1701", "SR1703", "SR1704", "SR1707")
OPEN = "allowedRoutes: {namespaces: {from: All}}"
TWO = (
    f"[{{name: a, port: 80, protocol: HTTP, {OPEN}}}, "
    "{name: b, port: 81, protocol: HTTP, hostname: '*.example'%s}]"
)
ROUTE = "[{name: web, namespace: infra%s}]"


def found(
    listeners: str, parents: str, as_: str, spec: str = "", *, mode: str = "create"
) -> list[str]:
    text = route("r", parents, "infra", spec=spec) if spec else route("r", parents, "infra")
    rules = (
        f"- {{gateways: {{names: [infra/web]}}, spokes: {{names: [eu]}}, mode: {mode}, as: {as_}}}"
    )
    return told(render([CLASS, gateway("web", listeners=listeners), text], rules).results, *CODES)


def less(listener: str, why: str, cure: str, place: str = "infra") -> str:
    return (
        f"SR1707 HTTPRoute infra/r spec.parentRefs[0]: Gateway {place}/web [{listener}] serves it "
        f"on the hub and does not on the spoke, where {why} ({cure}) [eu]"
    )


MAP = "map it in the rule's `as.hostnames`, or add a listener for it"
LET = rows_of(__file__, "let")


@cases(
    (TWO % "", "{name: edge}", "", []),
    (TWO % "", "{namespace: gw}", "",
     [less("b", "the listener admits no routes of namespace infra", LET, "gw")]),
    (TWO % f", {OPEN}", "{listeners: [{name: b, hostname: '*.else'}]}", "hostnames: [x.example]",
     [less("b", "x.example is outside its hostname *.else", MAP)]),
    (TWO % f", {OPEN}", "{listeners: [{name: b, protocol: TCP}]}", "",
     [less("b", "the listener takes no HTTPRoute", "let it take that kind")]),
)  # fmt: skip
def test_one_of_its_listeners(listeners: str, as_: str, spec: str, expected: list[str]) -> None:
    assert found(listeners, ROUTE % "", as_, spec) == expected


def test_a_port_that_no_listener_has_any_more() -> None:
    listeners = f"[{{name: a, port: 80, {OPEN}}}, {{name: b, port: 80, {OPEN}}}]"
    on_80 = ROUTE % ", port: 80"
    assert found(listeners, on_80, "{listeners: [{name: b, port: 90}]}") == [
        less("b", "the listener is on port 90", "keep its port, or name another")
    ]
    away = "{listeners: [{name: a, port: 90}, {name: b, port: 91}]}"
    for spec in ("", "hostnames: [x.example]"):
        assert found(listeners, on_80, away, spec) == [
            (
                "SR1707 HTTPRoute infra/r spec.parentRefs[0]: Gateway infra/web has no listener on "
                "port 80 on the spoke (declare one in the rule's `as.listeners`, or name another "
                "port) [eu]"
            )
        ]


def test_a_section_that_the_spoke_s_own_gateway_lacks_is_told_once() -> None:
    lines = found(
        TWO % f", {OPEN}",
        ROUTE % ", sectionName: b",
        f"{{listeners: [{{name: a, {OPEN}}}]}}",
        mode="existing",
    )
    assert [line.partition(" ")[0] for line in lines] == ["SR1701"]


def test_a_kind_that_the_listeners_take_no_more() -> None:
    listeners = f"[{{name: a, port: 80, protocol: HTTP, {OPEN}}}]"
    as_ = "{listeners: [{name: a, protocol: TCP}]}"
    assert found(listeners, ROUTE % "", as_) == [
        (
            "SR1703 HTTPRoute infra/r spec.parentRefs[0]: Gateway infra/web took routes of kind "
            "HTTPRoute on the hub and does not on the spoke (let its listeners have the protocol "
            "for that kind, and name it in their `allowedRoutes.kinds` if they name any) [eu]"
        )
    ]


def test_listeners_of_other_names_may_serve_it_just_as_well() -> None:
    """What the spoke's own gateway calls its listeners is its own affair."""
    listeners = f"[{{name: main, {OPEN}}}]"
    assert found(TWO % "", ROUTE % "", f"{{listeners: {listeners}}}", mode="existing") == []
    closed = found(
        TWO % "", ROUTE % "", "{namespace: gw, listeners: [{name: main}]}", mode="existing"
    )
    assert [line.partition(" ")[0] for line in closed] == ["SR1703"]


@cases((80, []), (81, ["a"]))
def test_the_listener_with_the_most_specific_hostname_takes_the_requests(
    port: int, told_of: list[str]
) -> None:
    """Requests for `one.example` never came to `a` on the hub, unless it has a port of its own."""
    listeners = (
        f"[{{name: a, port: {port}, protocol: HTTP, hostname: '*.example', {OPEN}}}, "
        f"{{name: b, port: 80, protocol: HTTP, hostname: one.example, {OPEN}}}]"
    )
    as_ = "{hostnames: {'*.example': '*.eu', one.example: one.else}}"
    lines = found(listeners, ROUTE % "", as_, "hostnames: [one.example]")
    assert lines == [less(name, "one.else is outside its hostname *.eu", MAP) for name in told_of]
