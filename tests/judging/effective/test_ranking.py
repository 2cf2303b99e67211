"""Rank two states of what policies ask: rules that never apply are as good as none."""

from spokerender.judging.effective.ranking import compare_specs
from spokerender.judging.effective.shifts import Direction
from tests.judging.effective.policies import CATALOGUE
from tests.support import cases
from tests.support.stages import values

NEVER = "{jwt: {}, when: [{predicate: 'false'}]}"
AUTHENTICATION = "{rules: {authentication: {a: {apiKey: {}}%s}}}"
AUTHORIZATION = "{rules: {authorization: {a: {opa: {rego: 'allow { input.a }'}}%s}}}"


@cases(
    (AUTHENTICATION, "", f", b: {NEVER}", []),
    (AUTHENTICATION, f", b: {NEVER}", "", []),
    (AUTHENTICATION, f", b: {NEVER}", ", b: {jwt: {}}", [Direction.WEAKENED]),
    (AUTHENTICATION, ", b: {jwt: {}}", f", b: {NEVER}", [Direction.STRICTER]),
    (AUTHORIZATION, "", f", b: {NEVER}", []),
    (AUTHORIZATION, f", b: {NEVER}", ", b: {jwt: {}}", [Direction.STRICTER]),
    (AUTHORIZATION, ", b: {jwt: {}}", f", b: {NEVER}", [Direction.WEAKENED]),
)
def test_a_rule_that_never_applies(
    spec: str, before: str, after: str, expected: list[Direction]
) -> None:
    traits = CATALOGUE.kind("kuadrant.io", "AuthPolicy").traits
    sides = (values(spec % each)[0] for each in (before, after))
    assert [shift.direction for shift in compare_specs(traits, *sides)] == expected
