"""Routes and ListenerSets that their gateway no longer admits because it moved."""

from tests.support import cases, each, manifest, rows_of
from tests.support.stages import CLASS, EVERYWHERE, auth, everywhere, gateway, render, route, told

CODE = "SR1703"
MOVED = "{namespace: gw}"
R = route("r", namespace="infra")
NAMESPACES = """\
{apiVersion: v1, kind: Namespace, metadata: {name: infra, labels: {team: a}}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {team: b}}}
"""
SET = manifest("ListenerSet infra/more", "parentRef: {name: web}, listeners: [{name: x, port: 81}]")


def listeners(*admissions: str) -> str:
    entries = [
        f"{{name: l{n}, port: {80 + n}, allowedRoutes: {{namespaces: {admission}}}}}"
        for n, admission in enumerate(admissions)
    ]
    return f"[{', '.join(entries)}]"


def selector(labels: str) -> str:
    return f"{{from: Selector, selector: {{matchLabels: {labels}}}}}"


def found(
    text: str, as_: str, admissions: tuple[str, ...], more: str = "", mode: str = "create"
) -> list[str]:
    documents = [
        CLASS,
        NAMESPACES,
        gateway("web", listeners=listeners(*admissions), spec=more or "extra: 1"),
        text,
    ]
    return told(render(documents, everywhere(as_, mode)).results, CODE)


@cases(
    (R, "{}", ("{from: Same}",)),
    (R, "{name: edge}", ("{from: Same}",)),
    (R, MOVED, ("{from: All}",)),
    (R, MOVED, ("{from: Same}", "{from: All}")),
    (R, MOVED, (selector("{team: a}"),)),
    (R, MOVED, (selector("{kubernetes.io/metadata.name: infra}"),)),
    # What the hub did not admit either is none of this check's business.
    (R, MOVED, ("{from: None}",)),
    (R, MOVED, (selector("{team: b}"),)),
    (route("r"), MOVED, ("{from: Same}",)),
    # A policy is not admitted, it attaches.
    (auth("p", "kind: Gateway, name: web"), MOVED, ("{from: Same}",)),
    # The other listener was not meant.
    (
        route("r", "[{name: web, namespace: infra, sectionName: l1}]", "infra"),
        MOVED,
        ("{from: Same}", "{from: All}"),
    ),
)
def test_nothing_to_tell(text: str, as_: str, admissions: tuple[str, ...]) -> None:
    assert found(text, as_, admissions) == []


FOLLOW = """\
let the routes of its namespace follow it, in the rule that places it:
  routes: follow
"""
OPEN = """\
let it take routes of other namespaces, in the rule that places it:
  as:
    allowedRoutes: {namespaces: {from: All}}
or keep the gateway in the hub's namespace"""
DECLARE = (
    "declare its listeners as the spoke has them, with `allowedRoutes`, in the rule that places it:"
    "\n  as:\n    listeners:\n    - {name: l0, for: l0, port: 80, protocol: , "
    "allowedRoutes: {namespaces: {from: All}}}"
)


def lost(kind: str, field: str, place: str = "gw", cure: str = f"{FOLLOW}or {OPEN}") -> list[str]:
    return [
        (
            f"SR1703 {kind} {field}: Gateway {place}/web admitted it on the hub and does not on "
            f"the spoke, where the gateway is in namespace {place} ({cure}) [eu us]"
        )
    ]


@cases(
    (R, ("{from: Same}",), "spec.parentRefs[0]"),
    # `Same` is the default.
    (R, ("null",), "spec.parentRefs[0]"),
    (R, ("{from: Same}", "{from: None}"), "spec.parentRefs[0]"),
    (route("r", "[{name: web, namespace: infra, sectionName: l0}]", "infra"),
     ("{from: Same}", "{from: All}"), "spec.parentRefs[0]"),
    (route("r", '[{group: "", kind: Service, name: s}, {name: web}]', "infra"), ("{from: Same}",),
     "spec.parentRefs[1]"),
)  # fmt: skip
def test_a_route_that_is_no_longer_admitted_is_an_error(
    text: str, admissions: tuple[str, ...], field: str
) -> None:
    assert found(text, MOVED, admissions) == lost("HTTPRoute infra/r", field)


@cases(*rows_of(__file__, "a_listener_set_that_is_no_longer_admitted_is_an_error"))
def test_a_listener_set_that_is_no_longer_admitted_is_an_error(
    admission: str, expected: list[str]
) -> None:
    more = f"allowedListeners: {{namespaces: {admission}}}"
    assert found(SET, MOVED, ("{from: All}",), more) == expected


def test_a_selector_that_the_placement_declares_decides() -> None:
    as_ = (
        "{namespace: gw, listeners: [{name: l0, allowedRoutes: {namespaces: "
        f"{selector('{team: b}')}}}}}]}}"
    )
    (result,) = found(R, as_, ("{from: All}",))
    assert "namespace infra does not have the labels that are selected" in result
    assert found(R, as_.replace("team: b", "team: a"), ("{from: All}",)) == []


def test_the_declared_listeners_of_an_existing_gateway_decide() -> None:
    as_ = "{namespace: gw, listeners: [{name: l0, allowedRoutes: {namespaces: {from: %s}}}]}"
    assert found(R, as_ % "All", ("{from: Same}",), mode="existing") == []
    assert found(R, as_ % "Same", ("{from: Same}",), mode="existing") == lost(
        "HTTPRoute infra/r", "spec.parentRefs[0]", cure=f"{FOLLOW}or {DECLARE}"
    )


def test_which_listener_sets_an_existing_gateway_admits_is_not_known() -> None:
    more = "allowedListeners: {namespaces: {from: Same}}"
    as_ = "{namespace: gw, listeners: [{name: l0}]}"
    assert found(SET, as_, ("{from: All}",), more, mode="existing") == []


LABELLED = """\
- {name: eu, namespaces: {infra: {team: %s}}}
- {name: us, namespaces: {infra: {team: a}}}
"""


def of_labels(text: str, hub: str, label: str, spec: str = "extra: 1") -> list[str]:
    """What is refused where a spoke's namespace has another label than the hub's."""
    documents = [
        CLASS,
        gateway("web", listeners=listeners(selector("{team: a}")), spec=spec),
        *([hub] if hub else []),
        text,
    ]
    return told(render(documents, EVERYWHERE, spokes=LABELLED % label).results, CODE, "SR1708")


@each("", NAMESPACES)
def test_declared_labels_that_are_selected_are_as_good_as_the_hubs(hub: str) -> None:
    assert of_labels(R, hub, "a") == []


SELECTING = f"allowedListeners: {{namespaces: {selector('{team: a}')}}}"


@cases((R, "HTTPRoute infra/r"), (SET, "ListenerSet infra/more"))
def test_a_spoke_whose_namespace_has_other_labels_admits_less(text: str, name: str) -> None:
    (result,) = of_labels(text, NAMESPACES, "b", SELECTING)
    assert result.startswith(f"{CODE} {name} ")
    assert result.endswith("[eu]")
    assert "namespace infra does not have the labels that are selected" in result
    # Of a hub whose labels nobody tells, it is not sure that anything is lost.
    assert of_labels(text, "", "b", SELECTING) == []


def test_one_of_two_listeners_that_selects_labels_which_a_spoke_has_not_is_lost() -> None:
    two = gateway("web", listeners=listeners("{from: All}", selector("{team: a}")))
    text = [CLASS, two, NAMESPACES, R]
    (result,) = told(render(text, EVERYWHERE, spokes=LABELLED % "b").results, "SR1707")
    assert "[l1] serves it on the hub and does not on the spoke, where namespace infra " in result
    assert told(render([CLASS, two, R], EVERYWHERE, spokes=LABELLED % "b").results, "SR1707") == []


def test_labels_that_a_spoke_alone_has_admit_more() -> None:
    (result,) = of_labels(R, NAMESPACES.replace("team: a", "team: c"), "b")
    assert result.startswith("SR1708 HTTPRoute infra/r ")
    assert result.endswith("[us]")


def test_what_a_gateway_would_take_is_settled_by_declared_labels() -> None:
    hub = [CLASS, gateway("web", listeners=listeners(selector("{team: c}"))), NAMESPACES, R]
    where = "{gateways: {names: [infra/web]}, spokes: {all: true}, routes: follow, as: %s}"
    spokes = "- {name: eu}\n- {name: us, namespaces: {gw: {team: a}}}\n"
    (result,) = told(render(hub, f"- {where % MOVED}", spokes=spokes).results, "SR1708")
    assert result.endswith("[eu]")
