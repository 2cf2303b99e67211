"""What `status`, `effective` and `check` say of hubs, by the code of the controllers themselves.

Each case of `data/controllers.yaml` names its source. Its hub has the documents that it names, and
its own. Of what is told, only what the case lists is compared.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from spokerender.explain.routing import share_routing
from spokerender.explain.values import PathQuestion
from spokerender.findings.results import ERROR
from spokerender.judging.attachment.statuses import Condition
from spokerender.judging.fleet.judged import JudgedFleet
from spokerender.model import GATEWAY_API, Ref
from spokerender.pipeline import judge
from spokerender.rendering.values.rendered import Rendered
from tests.judging.routing.cluster import ENVOY_NAME, words
from tests.support import each, text_of
from tests.support.answers import in_force, statuses
from tests.support.end_to_end import everywhere, fleet, rendered
from tests.support.stages import hub

DATA = yaml.safe_load(text_of(__file__, "controllers.yaml"))
GATEWAYS = {(GATEWAY_API, kind) for kind in ("Gateway", "GatewayClass")}
_COMPARED = ("Accepted", "Programmed", "Enforced", "ResolvedRefs", "InsecureFrontendValidationMode")


@each(*DATA["cases"], ids=lambda case: case["name"])
def test_as_its_controller_says(case: Mapping[str, Any]) -> None:
    documents = [DATA["documents"][name] for name in case["with"].split()]
    text = hub(*documents, *filter(None, [case.get("hub")]))
    objects = [*yaml.safe_load_all(text)]
    kinds = {
        (str(data["apiVersion"]).rpartition("/")[0].removeprefix("v1"), str(data["kind"]))
        for data in objects
    }
    gateways = [data["metadata"]["name"] for data in objects if data["kind"] == "Gateway"]
    fields = {"completeKinds": "['*']"} if case.get("complete", True) else {}
    settings = f"[{{name: {ENVOY_NAME}, settings: {{extensionApis: {{enableBackend: true}}}}}}]"
    kinds -= {("", "Namespace"), *GATEWAYS}
    files = {
        "hub/hub.yaml": text,
        "placement.yaml": everywhere(*(f"infra/{name}" for name in gateways)),
        "fleet.yaml": fleet(*sorted(kinds), **fields, controllers=settings),
    }
    build = rendered(files)
    judged = judge(build, with_routing=True)
    answers = {**dict(_list_statuses(judged)), **dict(_list_in_force(build, judged))}
    problems = [*build.results, *judged.results]
    answers["check"] = sorted({it.code for it in problems if it.severity is ERROR})
    assert {key: answers.get(key) for key in case["expect"]} == case["expect"]


def _list_statuses(judged: JudgedFleet) -> Iterator[tuple[str, Any]]:
    """Yield the conditions of each policy, route and Gateway; `none`: nobody writes a status."""
    for status in statuses(judged):
        entries = {
            _tell(item.conditions) if item.is_written else "none" for item in status.ancestors
        }
        yield _name(status.policy), " or ".join(sorted(entries))
    for alike in share_routing(judged):
        for routing in alike.each:
            if routing.holder is not None:
                yield _name(routing.ref), _tell(routing.holder.conditions)
                yield f"sets of {routing.ref.name}", routing.holder.sets
                for listener in routing.holder.listeners:
                    name = f"{routing.ref.name}[{listener.name}]"
                    yield name, _tell(listener.conditions)
                    yield f"kinds of {name}", [kind for _, kind in listener.kinds]
                    yield f"routes of {name}", listener.attached
            parents = [words(item.conditions) or "none" for item in routing.parents]
            if parents:
                yield _name(routing.ref), " or ".join(parents)


def _list_in_force(build: Rendered, judged: JudgedFleet) -> Iterator[tuple[str, Any]]:
    """Yield which policies are in force on each listener, or that requests get 500."""
    found: dict[str, set[str]] = {"in force": set()}
    for answer in in_force(build, judged, PathQuestion("", "", "", "")):
        told = {f"{answer.path.listener}: {item.rule.policy.name}" for item in answer.rules}
        if answer.failing:
            told = {f"{answer.path.listener}: 500"}
        if answer.unknown:
            told = {f"{answer.path.listener}: unknown"}
        found["in force"] |= told
    yield "in force", sorted(found["in force"])


def _name(ref: Ref) -> str:
    return f"{ref.kind} {ref.name}"


def _tell(conditions: tuple[Condition, ...]) -> str:
    return words(tuple(item for item in conditions if item.type in _COMPARED))
