"""Routes and ListenerSets that their gateway no longer admits because it moved."""

from __future__ import annotations

import pytest

from tests.support.stages import CLASS, auth, gateway, render, route, told

CODE = "SR1703"
MOVED = "{namespace: gw}"
R = route("r", "[{name: web, namespace: infra}]", "infra")
NAMESPACES = """\
{apiVersion: v1, kind: Namespace, metadata: {name: infra, labels: {team: a}}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {team: b}}}
"""
SET = """\
apiVersion: gateway.networking.k8s.io/v1
kind: ListenerSet
metadata: {name: more, namespace: infra}
spec: {parentRef: {name: web}, listeners: [{name: x, port: 81}]}
"""


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
    rules = (
        f"- {{gateways: {{names: [infra/web]}}, spokes: {{all: true}}, mode: {mode}, as: {as_}}}"
    )
    return told(render(documents, rules).results, CODE)


@pytest.mark.parametrize(
    ("text", "as_", "admissions"),
    [
        (R, "{}", ("{from: Same}",)),
        (R, "{name: edge}", ("{from: Same}",)),
        (R, MOVED, ("{from: All}",)),
        (R, MOVED, ("{from: Same}", "{from: All}")),
        (R, MOVED, (selector("{team: a}"),)),
        (R, MOVED, (selector("{kubernetes.io/metadata.name: infra}"),)),
        # What the hub did not admit either is none of this check's business.
        (R, MOVED, ("{from: None}",)),
        (R, MOVED, (selector("{team: b}"),)),
        (route("r", "[{name: web, namespace: infra}]"), MOVED, ("{from: Same}",)),
        # A policy is not admitted, it attaches.
        (auth("p", "kind: Gateway, name: web"), MOVED, ("{from: Same}",)),
        # The other listener was not meant.
        (
            route("r", "[{name: web, namespace: infra, sectionName: l1}]", "infra"),
            MOVED,
            ("{from: Same}", "{from: All}"),
        ),
    ],
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
DECLARE = "declare its listeners, with the `allowedRoutes` they have, in the rule's `as.listeners`"
ADMIT = "or let its `allowedListeners` admit that namespace"


def lost(kind: str, field: str, place: str = "gw", cure: str = f"{FOLLOW}or {OPEN}") -> list[str]:
    return [
        (
            f"SR1703 {kind} {field}: Gateway {place}/web admitted it on the hub and does not on "
            f"the "
            f"spoke, where the gateway is in namespace {place} ({cure}) [eu us]"
        )
    ]


@pytest.mark.parametrize(
    ("text", "admissions", "field"),
    [
        (R, ("{from: Same}",), "spec.parentRefs[0]"),
        # `Same` is the default.
        (R, ("null",), "spec.parentRefs[0]"),
        (R, ("{from: Same}", "{from: None}"), "spec.parentRefs[0]"),
        (
            route("r", "[{name: web, namespace: infra, sectionName: l0}]", "infra"),
            ("{from: Same}", "{from: All}"),
            "spec.parentRefs[0]",
        ),
        (
            route("r", '[{group: "", kind: Service, name: s}, {name: web}]', "infra"),
            ("{from: Same}",),
            "spec.parentRefs[1]",
        ),
    ],
)
def test_a_route_that_is_no_longer_admitted_is_an_error(
    text: str, admissions: tuple[str, ...], field: str
) -> None:
    assert found(text, MOVED, admissions) == lost("HTTPRoute infra/r", field)


@pytest.mark.parametrize(
    ("admission", "expected"),
    [
        ("{from: Same}", lost("ListenerSet infra/more", "spec.parentRef", cure=FOLLOW + ADMIT)),
        ("{from: All}", []),
        (selector("{team: a}"), []),
        ("{from: None}", []),
        ("null", []),
    ],
)
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
    assert found(R, as_, ("{from: All}",)) == lost(
        "HTTPRoute infra/r", "spec.parentRefs[0]", cure=OPEN
    )
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
