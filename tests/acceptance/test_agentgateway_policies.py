"""The statuses of policies that agentgateway's own tests expect.

A case is all that its cluster has. Its module is not to be had, so its cases are kept here.
"""

from functools import cache
from typing import Any

from spokerender.formats import yamlio
from spokerender.pipeline import judge
from tests.conftest import DATA
from tests.support import each, rows_of
from tests.support.answers import statuses
from tests.support.end_to_end import everywhere, fleet, rendered
from tests.support.stages import values

CASES = DATA / "cases/agentgateway-policies.yaml"
DIFFERENT = rows_of(__file__, "different")
"""The cases about which we say something else, and what it is about."""
UNLISTED = ("Gateway", "GatewayClass", "Service", "Secret", "ConfigMap")
Json = dict[str, Any]


@cache
def folders() -> list[Json]:
    found: list[Json] = values(CASES.read_text(encoding="utf-8"))[0]["folders"]
    return found


def tell(objects: list[Json]) -> dict[str, str]:
    """What we say of each policy and ancestor on a spoke that has all objects."""
    gateways = [one["metadata"] for one in objects if one["kind"] == "Gateway"]
    groups = {one["kind"]: one["apiVersion"].rpartition("/")[0] for one in objects}
    kinds = [(group, kind) for kind, group in sorted(groups.items()) if kind not in UNLISTED]
    project = rendered(
        {
            "hub/all.yaml": "---\n".join(map(yamlio.emit, objects)),
            "fleet.yaml": fleet(*kinds, completeKinds='["*"]'),
            "placement.yaml": everywhere(
                *(f"{one['namespace']}/{one['name']}" for one in gateways)
            ),
        }
    )
    return {
        f"{each.policy.kind} {each.policy.namespace}/{each.policy.name} | {entry.ancestor.kind} "
        f"{entry.ancestor.namespace}/{entry.ancestor.name}": " ".join(
            f"{item.type}={item.status}/{item.reason}"
            for item in entry.conditions
            if item.type in ("Accepted", "Attached")
        )
        for each in statuses(judge(project, (), "policies"), kind="AgentgatewayPolicy")
        for entry in each.ancestors
    }


def cluster(basis: list[Json], objects: list[Json]) -> list[Json]:
    """All objects of a case; of two of one name, the case's own."""
    by_name = {
        (one["kind"], one["metadata"].get("namespace"), one["metadata"]["name"]): one
        for one in (*basis, *objects)
    }
    return list(by_name.values())


@each(*range(3))
def test_the_statuses_are_those_that_agentgateway_writes(number: int) -> None:
    folder = folders()[number]
    name = folder["cases"][0]["case"].partition("/")[0]
    different = {
        case["case"]
        for case in folder["cases"]
        if tell(cluster(folder["basis"], case["objects"])) != case["statuses"]
    }
    assert different == {case for case in DIFFERENT if case.startswith(name)}


def test_no_case_is_left_out() -> None:
    assert [len(folder["cases"]) for folder in folders()] == [48, 18, 62]
