"""Law: `ask` and `effective` say the same of every path, of examples and of random hubs."""

from random import Random

import pytest

from spokerender.cli.loaded import read_fleet_file
from spokerender.cli.project import read_project
from spokerender.edge.files import OnDisk
from spokerender.explain.in_force import share_in_force
from spokerender.explain.running import share_request_answers
from spokerender.explain.values import PathQuestion
from spokerender.judging.fleet.judged import Aspect
from spokerender.pipeline import judge, render
from spokerender.rendering.values.rendered import Rendered
from spokerender.topology.requests import find_rule_paths
from tests.cli.examples import NAMES
from tests.conftest import ROOT
from tests.live.envoy_gateway import write_project
from tests.live.hubs import hub
from tests.support import each, end_to_end as e2e
from tests.support.profiles import examples
from tests.support.requests import make_witness

pytestmark = pytest.mark.property


def count_agreeing(rendered: Rendered) -> int:
    """Ask for the first match of each rule; count the rules that take their request."""
    judged = judge(rendered, (), Aspect.STATES)
    taken = 0
    for spoke, of_spoke in judged.judged.items():
        in_force = {
            (*item.path.levels, item.kind): item
            for alike in share_in_force(rendered, judged, PathQuestion(spoke=spoke))
            for item in alike.each
        }
        open_ = {(it.path.section, it.path.levels[-1]) for it in in_force.values() if not it.kind}
        topology = of_spoke.judgement.topology
        for path in find_rule_paths(topology):
            request = make_witness(topology, path, judged.bundles[spoke])
            if request is None:
                continue
            answers, _ = share_request_answers(rendered, judged, request, spoke)
            (answer,) = (each for alike in answers for each in alike.each)
            for proxy in answer.proxies:
                for rule in proxy.rules:
                    if not rule.plugin:  # the policies are those of the rule
                        for item in rule.policies:
                            assert in_force[*item.path.levels, item.kind].rules == item.rules
                        for on in proxy.listeners[:1] if len(proxy.listeners) == 1 else ():
                            is_open = (on.listener, rule.rule) in open_
                            assert bool(rule.anonymous.is_admitted) == is_open, (request, rule)
                    taken += path.levels[-1] == rule.rule
    return taken


@each(*NAMES)
def test_of_an_example(name: str) -> None:
    source = OnDisk(ROOT / "examples" / name)
    taken = count_agreeing(render(read_project(source, read_fleet_file(source))))
    # No request comes to that one by a Gateway.
    assert bool(taken) is (name != "mesh")


def test_of_random_hubs() -> None:
    """A minute of CPU seconds in the weekly run, of 500 hubs."""
    projects = (
        write_project(hub(Random(f"agreement {seed}")))  # noqa: S311  (a test)
        for seed in range(examples(500, house=6))
    )
    assert sum(map(count_agreeing, map(e2e.rendered, projects)))
