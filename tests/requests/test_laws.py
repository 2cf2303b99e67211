"""Laws of tests of requests, on examples and random hubs, by requests that their rules are for."""

from collections.abc import Iterator
from random import Random

import pytest
from msgspec.structs import replace

from spokerender.cli.loaded import read_fleet_file
from spokerender.cli.project import read_project
from spokerender.edge.files import OnDisk
from spokerender.explain.requests import read_request
from spokerender.explain.running import RequestRunner
from spokerender.judging.fleet.judged import Aspect, JudgedFleet
from spokerender.pipeline import judge, render
from spokerender.rendering.values.rendered import Rendered
from spokerender.requests.as_test import write_tests
from spokerender.requests.facts import MEETS
from spokerender.requests.reading import read_tests
from spokerender.requests.running import list_outcomes, run_tests
from spokerender.topology.matches import ANONYMOUS
from spokerender.topology.requests import find_rule_paths
from tests.cli.examples import NAMES
from tests.conftest import ROOT
from tests.live.envoy_gateway import write_project
from tests.live.hubs import hub
from tests.support import each, end_to_end as e2e
from tests.support.profiles import examples
from tests.support.requests import make_witness

pytestmark = pytest.mark.property

WRONG = (
    ("anonymous: refused", "anonymous: served"),
    ("anonymous: served", "anonymous: refused"),
    ("served: false", "served: true"),
)
"""Expectations and their opposites."""


def list_requests(fleet: JudgedFleet) -> Iterator[str]:
    """A request for each rule of each spoke, with the spoke's own host."""
    for spoke, judged in fleet.judged.items():
        topology = judged.judgement.topology
        for path in find_rule_paths(topology):
            request = make_witness(topology, path, fleet.bundles[spoke])
            if request and request.scheme.startswith("http") and not request.headers:
                yield str(request)


def count_holding(rendered: Rendered) -> int:
    """Write a test of each request, which holds; its opposite, and what is alike, are tried too."""
    fleet = judge(rendered, (), Aspect.STATES)
    runner = RequestRunner(rendered, fleet, with_lines=False)
    tried = 0
    for request in dict.fromkeys(list_requests(fleet)):
        asked = replace(read_request(request), credential=ANONYMOUS)
        text = write_tests(runner, request, asked)
        if not text:
            continue
        (test, *_) = tests = read_tests([("tests.yaml", text.encode())])
        assert run_tests(rendered, fleet, tests) == (), text
        before, _, expected = text.partition("expect:")
        for right, wrong in WRONG:
            if right in expected.partition("- name:")[0]:
                lone = f"{before}expect: {{{wrong}}}\n"
                results = run_tests(rendered, fleet, read_tests([("t.yaml", lone.encode())]))
                assert {it.code for it in results} == {"SR3101"}, lone
                tried += 1
        for outcomes, alike in list_outcomes(runner, asked, runner.ask(asked), MEETS):
            for name in alike.names:
                own = RequestRunner(rendered, fleet, name, with_lines=False)
                alone = [*list_outcomes(own, asked, own.ask(asked), MEETS)]
                own_outcomes = [(each, it.names) for each, it in alone]
                assert own_outcomes == [(outcomes, (name,))], (request, test)
    return tried


@each(*NAMES)
def test_of_an_example(name: str) -> None:
    source = OnDisk(ROOT / "examples" / name)
    count_holding(render(read_project(source, read_fleet_file(source))))


def test_of_random_hubs() -> None:
    projects = (
        write_project(hub(Random(f"requests {seed}")))  # noqa: S311  (a test)
        for seed in range(examples(300, house=4))
    )
    assert sum(map(count_holding, map(e2e.rendered, projects)))
