"""`spec.policyKinds`: how policies come together, of kinds that have no row."""

from collections.abc import Callable

from spokerender.config.fleet import FleetFile
from tests.config.conftest import Problem
from tests.support import cases, each

Load = Callable[[str], FleetFile]
Problems = Callable[[str], list[Problem]]
CHOICES = "must be one of none, all, fields, gep-713, kuadrant, single-policy-per-route"
PATTERN = "must be a pattern such as rules.authentication.* or limits[].rates"
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


@cases(
    ("process: none, strategy: patch", "strategy",
     "process: none merges nothing, so it has no strategy",
     "remove strategy, or name another process"),
    ("process: fields, strategy: patch", "strategy",
     "process: fields takes policies field by field, so it has no strategy",
     "remove strategy, or name another process"),
    ("process: all, strategy: atomic", "strategy",
     "process: all merges nothing, so it has no strategy",
     "remove strategy, or name another process"),
    ("process: none, substance: limits", "substance",
     "process: none merges nothing, so no policy gives way for being empty",
     "remove substance, or name another process"),
    ("process: all, ties: unbroken", "ties",
     "process: all lets several policies hold on one target", "remove ties, or set oneEach: true"),
    ("strategy: patch, ties: alphabetical", "ties",
     "process: gep-713 lets several policies hold on one target",
     "remove ties, or set oneEach: true"),
    ("rules: [limits.*], condition: when", "condition", "the condition is none of the rules",
     "add it to rules"),
    ("rules: [limits.*, spec.a]", "rules[1]", f'{BELOW} "spec"', 'write "a"'),
    ("targetPaths: [spec.on, 'to[]']", "targetPaths[1]",
     "the path of a target begins at the object's root", 'write "spec.to[]"'),
    ("substance: defaults.rules", "substance", f'{BELOW} "defaults"', 'write "rules"'),
    ("condition: overrides", "condition", f'{BELOW} "overrides"', "name a field below it"),
    ("process: kuadrnt", "process", f'{CHOICES}, but is the text "kuadrnt"',
     'did you mean "kuadrant"?'),
    ("rules: [a..b]", "rules[0]", f'{PATTERN}; it is the text "a..b"', ""),
    ("targets: []", "targets", "must not be empty", "fill it in, or leave the key out"),
    ("one_each: true", "one_each", 'unknown key "one_each"', 'did you mean "oneEach"?'),
)  # fmt: skip
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
