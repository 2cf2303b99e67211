"""What is in force, as a tree for people and as JSON."""

import json
from typing import Any

from msgspec.structs import replace

from spokerender.explain.in_force import share_in_force
from spokerender.explain.values import EffectiveAnswer, PathQuestion
from spokerender.rendering.values.alike import Alike
from spokerender.report.effective import effective_json, effective_text
from spokerender.report.reports import EffectiveReport, Look
from tests.judging.advice.spokes import auth
from tests.support import rows_of, text_of
from tests.support.shop import judged, shop

WEB = text_of(__file__, "effective_web.txt")
FOUND = rows_of(__file__, "found")
"""What `check` tells of these policies."""
OWN = rows_of(__file__, "own")
VALUES = text_of(__file__, "effective_values.txt")


def text(question: PathQuestion, *more: str, color: bool = False, verbose: bool = False) -> str:
    found = shop(*more)
    answers = share_in_force(found, judged(found), question)
    report = EffectiveReport(answers=answers, question=question, spokes=3)
    return effective_text(report, Look(color=color, verbose=verbose))


def test_a_tree() -> None:
    """Listeners on which all is alike are told each; they are other ways in."""
    again = WEB.partition("  HTTPRoute")
    tcp = f"Gateway {{{{ spoke.values.ns }}}}/web (istio) > listener tcp\n{again[1]}{again[2]}"
    assert text(PathQuestion()) == f"{OWN}\n{WEB}\n{tcp}{FOUND}"


def test_one_spoke_has_its_values() -> None:
    told = text(PathQuestion(spoke="us"), verbose=True)
    assert "Gateway west/web (istio) > listener http\n  *.us.example\n" in told
    assert "geo: US" in told
    assert "{{ spoke." not in told


def test_values() -> None:
    """Spokes on which only their own values differ are told at once, also with values."""
    assert text(PathQuestion(kind="DNSPolicy"), verbose=True) == VALUES + FOUND


def test_nothing() -> None:
    told = text(PathQuestion(kind="RateLimitPolicy", route="cart", hostname="a.b", spoke="us"))
    assert told == "no RateLimitPolicy is on any path to route cart for host a.b on us\n"


def test_one_listener_of_one_spoke() -> None:
    assert text(PathQuestion(route="own")) == OWN


def test_what_is_made_of_policies() -> None:
    """Of the records there are addresses and a code of the cluster in no file."""
    assert text(PathQuestion(route="own", made=True)) == rows_of(__file__, "own_made")
    told = text(PathQuestion(kind="DNSPolicy", spoke="us", made=True))
    assert "\n      the DNS operator gets\n" in told
    assert "\n        in no file: <addresses> of the Gateway" in told


def test_every_spoke() -> None:
    """All of them, where the reader may know how many there are."""
    found = shop()
    (answer,) = share_in_force(found, judged(found), PathQuestion(spoke="us", route="own"))
    alike = replace(answer, finish=lambda each, _: replace(each, spokes=("ap", "eu", "us")))
    report = EffectiveReport(answers=[alike], question=PathQuestion(), spokes=3)
    assert effective_text(report, Look()) == OWN.replace("on us", "on all 3 spokes")


def test_colors_change_no_word() -> None:
    plain, colored = text(PathQuestion()), text(PathQuestion(), color=True)
    assert "\x1b[1mGateway infra/theirs > listener main\x1b[0m\n" in colored
    assert "\x1b" not in plain
    bare = "".join(part.partition("m")[2] for part in f"\x1bm{colored}".split("\x1b"))
    assert bare == plain


def test_another_outcome() -> None:
    more = auth("again", "HTTPRoute/cart/buy", "rules: {authentication: {other: {}}}", "shop")
    told = text(PathQuestion(spoke="us", route="cart"), more).splitlines()
    assert told.count("      or, as only the cluster can decide: shop/again") == 2
    assert next(line for line in told if "not in force" in line) == (
        "      not in force: rules.authentication.other of shop/again (hub/hub.yaml:68): atomic "
        "defaults on HTTPRoute shop/cart [buy] give way to a later policy there (by shop/buy, "
        "hub/hub.yaml:55)"
    )


def data(*answers: Alike[EffectiveAnswer]) -> Any:
    report = EffectiveReport(answers=answers, question=PathQuestion())
    return json.loads("".join(effective_json(report, Look())))


def test_json() -> None:
    found = shop()
    told = data(*share_in_force(found, judged(found), PathQuestion(spoke="ap")))
    assert list(told) == ["effectivePolicies"]
    dns, _, buy, *_ = told["effectivePolicies"]
    gateway = {
        "group": "gateway.networking.k8s.io",
        "kind": "Gateway",
        "namespace": "edge",
        "name": "web",
    }
    policy = {"group": "kuadrant.io", "kind": "DNSPolicy", "namespace": "edge", "name": "dns"}
    assert dns == {
        "path": {
            "gatewayClass": "istio",
            "gateway": gateway,
            "listener": "http",
            "hostnames": ["*.ap.example"],
        },
        "policyKind": {"group": "kuadrant.io", "kind": "DNSPolicy"},
        "spokes": ["ap"],
        "rules": [
            {
                "key": "loadBalancing",
                "value": {"weight": 1, "geo": "AP", "defaultGeo": True},
                "policy": policy,
                "file": {"path": "hub/hub.yaml", "index": 9, "line": 63},
                "changedBy": [{"path": "placement.yaml", "index": 0, "line": 24}],
            }
        ],
        "notInForce": [],
        "otherOutcomes": [],
        "findings": [],
    }
    route = {
        "group": "gateway.networking.k8s.io",
        "kind": "HTTPRoute",
        "namespace": "shop",
        "name": "cart",
    }
    guard = {"group": "kuadrant.io", "kind": "AuthPolicy", "namespace": "edge", "name": "guard"}
    assert buy["path"]["route"] == route
    assert buy["path"]["rule"] == "buy"
    assert buy["notInForce"] == [
        {
            "policy": guard,
            "key": "rules.authorization.deny",
            "overruledBy": {**guard, "namespace": "shop", "name": "buy"},
            "overruledByFile": {"path": "hub/hub.yaml", "index": 8, "line": 55},
            "why": "atomic defaults on Gateway edge/web give way to a policy on HTTPRoute "
            "shop/cart [buy]",
            "file": {"path": "hub/hub.yaml", "index": 6, "line": 48},
        }
    ]


def test_json_of_nothing() -> None:
    assert data() == {"effectivePolicies": []}
