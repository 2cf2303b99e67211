"""The statuses of routes, Gateways and ListenerSets: tables, JSON and Kubernetes objects."""

import json
import re
from typing import Any

from spokerender.explain.routing import share_routing
from spokerender.pipeline import judge
from spokerender.report.reports import Look, StatusReport
from spokerender.report.statuses import status_json, status_table, status_yaml
from tests.support import cyaml, end_to_end as e2e, text_of

HUB = text_of(__file__, "routing.yaml")
FLEET = e2e.fleet(
    ("gateway.networking.k8s.io", "HTTPRoute"), ("gateway.networking.k8s.io", "ListenerSet")
)


def report(kind: str = "") -> StatusReport:
    files = {
        "hub/all.yaml": HUB,
        "fleet.yaml": FLEET,
        "placement.yaml": e2e.everywhere("infra/web"),
    }
    fleet = judge(e2e.rendered(files), with_routing=True)
    statuses = share_routing(fleet, kind=kind)
    return StatusReport(statuses=(), routing=statuses, spokes=len(fleet.bundles))


def test_the_tables() -> None:
    (routes, listeners, notes) = status_table(report(), Look(width=160)).split("\n\n")
    assert [re.split("  +", line)[1:4] for line in routes.splitlines()] == [
        ["PARENT", "ACCEPTED", "RESOLVED REFS"],
        ["infra/web[closed]", "False: NotAllowedByListeners", "Unknown: Unverified"],
        ["infra/web[http]", "Unknown: Unverified", "Unknown: Unverified"],
        ["ListenerSet more", "no status", "-"],
    ]
    assert [re.split("  +", line)[:3] for line in listeners.splitlines()[1:]] == [
        ["infra/web", "http", "0 to 1"],
        ["infra/web", "closed", "0"],
        ["ListenerSet shop/more", "-", "-"],
    ]
    assert "no Gateway admits ListenerSet shop/more" in notes
    assert "the spoke has to have Service" not in notes
    assert "the spoke has to have Service" in status_table(report(), Look(verbose=True))


def test_in_eighty_columns() -> None:
    """The parent is kept: where there is no room beside it, the route has a line of its own."""
    for width in (80, 66):
        tables = status_table(report(), Look(width=width)).split("\n\n")[:2]
        assert all(len(line) <= width for table in tables for line in table.splitlines())
        assert "PARENT" in tables[0]


def condition(kind: str, status: str, reason: str, part: dict[str, Any]) -> bool:
    return any(
        (item["type"], item["status"], item["reason"]) == (kind, status, reason)
        for item in part["conditions"]
    )


def test_kubernetes_objects() -> None:
    """The status subresources of the Gateway API."""
    route, gateway, more = (
        item
        for item in sorted(cyaml.safe_load_all("".join(status_yaml(report(), Look()))), key=order)
    )
    assert [entry["parentRef"].get("sectionName") for entry in route["status"]["parents"]] == [
        "closed",
        "http",
    ]
    first, second = route["status"]["parents"]
    assert first["controllerName"] == "spokerender.io/render"
    assert condition("Accepted", "False", "NotAllowedByListeners", first)
    assert condition("Accepted", "Unknown", "Unverified", second)
    (http, closed) = gateway["status"]["listeners"]
    assert http["attachedRoutes"] == closed["attachedRoutes"] == 0
    assert [kind["kind"] for kind in http["supportedKinds"]] == ["HTTPRoute", "GRPCRoute"]
    assert condition("Programmed", "True", "Programmed", http)
    assert more["status"]["listeners"] == []
    assert condition("Accepted", "False", "NotAllowed", more["status"])
    assert "# listener http: up to 1 routes" in "".join(status_yaml(report(), Look()))


def order(item: dict[str, Any]) -> int:
    return ["HTTPRoute", "Gateway", "ListenerSet"].index(item["kind"])


def test_json() -> None:
    answer = json.loads("".join(status_json(report(), Look())))
    assert {key: len(value) for key, value in answer.items()} == {
        "policies": 0,
        "routes": 1,
        "gateways": 1,
        "listenerSets": 1,
    }
    (route,) = answer["routes"]
    assert route["file"]["path"] == "hub/all.yaml"
    assert [entry["parentRef"]["kind"] for entry in route["withoutStatus"]] == ["ListenerSet"]
    assert len(route["status"]["parents"]) == 2


def test_of_one_kind() -> None:
    assert [item.value.ref.kind for item in report("listenerset").routing] == ["ListenerSet"]


EXISTING = text_of(__file__, "routing_existing.yaml")


def test_a_gateway_that_the_spoke_has_already_has_the_routes_on_its_declared_listeners() -> None:
    """The rest of its status is not known: no file has the object."""
    files = {"hub/all.yaml": HUB, "fleet.yaml": FLEET, "placement.yaml": EXISTING}
    (alike,) = share_routing(judge(e2e.rendered(files), with_routing=True), kind="Gateway")
    status = alike.common
    assert (status.ref.name, status.hub.name, status.spokes) == ("theirs", "web", ("eu",))
    assert status.holder is not None
    assert [(each.name, each.attached) for each in status.holder.listeners] == [
        ("http", 1),
        ("closed", 0),
    ]
    assert {each.status.value for each in status.conditions} == {"Unknown"}
    assert all("has it already" in each.message for each in status.conditions)
