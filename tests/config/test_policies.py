"""`spec.policyKinds`: how policies come together, of kinds that have no row."""

from collections.abc import Callable

from spokerender.config.fleet import FleetFile
from tests.config.conftest import Problem
from tests.support import cases, each, rows_of

Load = Callable[[str], FleetFile]
Problems = Callable[[str], list[Problem]]
BELOW = "a pattern begins below the spec proper, without"


def entry(more: str, kind: str = "QuotaPolicy") -> str:
    return f"    - {{group: example.com, kind: {kind}, {more}}}\n"


def kinds(*entries: str) -> str:
    return "spec:\n  policyKinds:\n" + "".join(entries)


def test_everything_that_can_be_said_of_a_kind(fleet: Load) -> None:
    text = kinds(
        entry(
            "process: kuadrant, strategy: merge, rules: [when, limits.*, 'matches[].path', '*'], "
            "substance: limits, condition: when, oneEach: true, ties: unbroken, security: true, "
            "targets: [Gateway, HTTPRoute], targetPaths: [spec.on, 'spec.also[].to'], "
            "sections: positional, hostnames: within"
        )
    )
    (found,) = fleet(text).spec.policy_kinds
    assert found.model_dump() == {
        "group": "example.com",
        "kind": "QuotaPolicy",
        "process": "kuadrant",
        "strategy": "merge",
        "rules": ("when", "limits.*", "matches[].path", "*"),
        "substance": "limits",
        "condition": "when",
        "one_each": True,
        "ties": "unbroken",
        "sections": "positional",
        "hostnames": "within",
        "security": True,
        "targets": ("Gateway", "HTTPRoute"),
        "target_paths": ("spec.on", "spec.also[].to"),
    }


def test_a_condition_may_be_any_field_where_every_field_is_a_rule(fleet: Load) -> None:
    assert fleet(kinds(entry("condition: when"))).spec.policy_kinds[0].condition == "when"


@cases(*rows_of(__file__, "what_makes_no_sense_is_refused"))
def test_what_makes_no_sense_is_refused(
    more: str, field: str, message: str, cure: str, fleet_problems: Problems
) -> None:
    place = f"spec.policyKinds[0].{field}"
    assert fleet_problems(kinds(entry(more))) == [(place, 3, message, cure)]


@each("process: none, ties: unbroken", "oneEach: true, ties: unbroken")
def test_ties_are_for_kinds_of_which_one_holds(more: str, fleet: Load) -> None:
    assert fleet(kinds(entry(more))).spec.policy_kinds[0].ties == "unbroken"


def test_one_kind_has_one_entry(fleet_problems: Problems) -> None:
    text = kinds(entry("process: all"), entry("process: all", "Other"), entry("process: none"))
    assert fleet_problems(text) == [
        (
            "spec.policyKinds[2]",
            5,
            "QuotaPolicy.example.com is configured twice",
            "keep one of the two",
        )
    ]
