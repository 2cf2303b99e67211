"""Whether what is in force keeps anybody out."""

from spokerender.judging.effective.compute import compute_effective_policies
from spokerender.judging.effective.guarding import guards
from spokerender.judging.effective.outcomes import AttachedPolicy
from tests.judging.effective.policies import CATALOGUE, OF_NO_CLASS, TARGETS, ref
from tests.support import cases, each, rows_of
from tests.support.stages import graph, values

AUTH = ("kuadrant.io", "AuthPolicy")
ISTIO = ("security.istio.io", "AuthorizationPolicy")
FOR_SOME = rows_of(__file__, "for_some")
NAMED = (
    "{patterns: {p: {allOf: [%s]}}, rules: {authorization: {a: {patternMatching: "
    "{patterns: [%s]}}}}}"
)


@cases(*rows_of(__file__, "what_guards"))
def test_what_guards(kind: tuple[str, str], specs: list[str], expected: bool) -> None:
    assert is_guarded(kind, *specs) is expected


def is_guarded(kind: tuple[str, str], *specs: str) -> bool:
    row = CATALOGUE.kind(*kind)
    policies = [
        AttachedPolicy(ref(row, f"p{index}"), row, values(spec)[0], (TARGETS["gw"],))
        for index, spec in enumerate(specs)
    ]
    (found,) = compute_effective_policies(graph(OF_NO_CLASS), policies)
    return guards(row, found.likely)


@each(*rows_of(__file__, "for_all"))
def test_rules_that_are_true_for_everybody_in_whatever_spelling(rule: str) -> None:
    """A second one that allows all does so whatever the first one asks."""
    assert not is_guarded(ISTIO, f"{{rules: [{rule}]}}")
    assert is_guarded(ISTIO, f"{{action: DENY, rules: [{rule}]}}")
    assert not is_guarded(ISTIO, f"{{rules: [{FOR_SOME[0]}]}}", f"{{rules: [{rule}]}}")


@each(*FOR_SOME)
def test_rules_that_are_true_for_some(rule: str) -> None:
    assert is_guarded(ISTIO, f"{{rules: [{rule}]}}")


@cases(*rows_of(__file__, "patterns_that_are_named"))
@each("{patternRef: p}", "{any: [{patternRef: p}]}", "{all: [{patternRef: p}]}")
def test_patterns_that_are_named(used: str, named: str, guarded: bool) -> None:
    assert is_guarded(AUTH, NAMED % (named, used)) is guarded


def test_a_kind_of_which_nothing_is_said_guards_by_any_rule() -> None:
    row = CATALOGUE.kind("gateway.envoyproxy.io", "EnvoyPatchPolicy")
    policies = [AttachedPolicy(ref(row, "p"), row, {"jsonPatches": []}, (TARGETS["gw"],))]
    (found,) = compute_effective_policies(graph(OF_NO_CLASS), policies)
    assert guards(row, found.likely)
