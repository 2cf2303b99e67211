"""Tests of requests run on a small fleet, for the tests of this folder."""

from collections.abc import Mapping
from textwrap import indent

from spokerender.judging.fleet.judged import Aspect
from spokerender.pipeline import judge
from spokerender.requests.reading import WrittenTest, read_tests
from spokerender.requests.running import run_tests
from tests.support import end_to_end as e2e
from tests.support.texts import text_of

HUB = text_of(__file__, "hub.yaml")
KINDS = (
    ("gateway.networking.k8s.io", "HTTPRoute"),
    ("kuadrant.io", "AuthPolicy"),
    ("kuadrant.io", "RateLimitPolicy"),
)
SPOKES = (
    "[{name: eu, labels: {tier: prod}, values: {domain: eu.example}},"
    " {name: us, labels: {tier: prod}, values: {domain: us.example}},"
    " {name: dev, labels: {tier: dev}, values: {domain: dev.example}}]"
)
HOSTNAMES = '{hostnames: {"*.shop.example": "*.{{ spoke.values.domain }}"}}'
LIMITED = (
    "[{target: {kind: RateLimitPolicy, name: pay}, spokes: {names: [us]},"
    " merge: {spec: {limits: {each: {rates: [{limit: 20, window: 1m}]}}}}}]"
)
PROJECT: Mapping[str, str] = {
    "hub/all.yaml": HUB,
    "fleet.yaml": e2e.fleet(*KINDS),
    "placement.yaml": e2e.placement(
        SPOKES,
        f"[{{gateways: {{names: [infra/web]}}, spokes: {{all: true}}, as: {HOSTNAMES}}}]",
        LIMITED,
    ),
}


def document(*tests: str) -> str:
    """A file of these tests, each YAML in flow style; the first is in its fifth line."""
    listed = "".join(f"{indent(test, '    ').replace('    ', '  - ', 1)}\n" for test in tests)
    return f"apiVersion: spokerender.io/v1alpha1\nkind: RequestTests\nspec:\n  tests:\n{listed}"


def written(*tests: str) -> tuple[WrittenTest, ...]:
    """Read tests as from a file of the project."""
    return read_tests([("tests.yaml", document(*tests).encode())])


def told(*tests: str, files: Mapping[str, str] = PROJECT) -> list[str]:
    """Run tests; each failure as a line, with the names of its spokes."""
    rendered = e2e.rendered(files)
    fleet = judge(rendered, (), Aspect.STATES)
    return [
        f"{it.code} {it.field}: {it.message} [{' '.join(it.spokes)}]"
        for it in run_tests(rendered, fleet, written(*tests))
    ]
