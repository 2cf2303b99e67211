"""The table of findings: complete, sorted, and of use to whoever has only a code in hand."""

from __future__ import annotations

import importlib
import pkgutil
import re
from types import ModuleType

import pytest

from render.findings import codes
from render.findings.codes.suppressions import INSTEAD, instead_of_suppressing
from render.findings.codes.table import HUNDREDS, RULES
from render.findings.results import Rule

MODULES = [
    importlib.import_module(f"render.findings.codes.{info.name}")
    for info in pkgutil.iter_modules(codes.__path__)
    if info.name != "table"
]
NAMES_OF_OTHERS = {"code", "cure", "suppressed"}
"""Tags that results get besides their rule's."""

each_module = pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
each_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)


def rules_in(module: ModuleType) -> list[Rule]:
    return [value for value in vars(module).values() if isinstance(value, Rule)]


def test_codes_are_unique_and_sorted() -> None:
    found = [rule.code for rule in RULES]
    assert found == sorted(set(found))


def test_every_module_is_in_the_table() -> None:
    assert {rules[0].code for rules in HUNDREDS.values()} == {
        module.RULES[0].code for module in MODULES
    }
    assert len(HUNDREDS) == len(MODULES)


@each_module
def test_a_module_lists_each_of_its_rules_once(module: ModuleType) -> None:
    assert sorted(rule.code for rule in module.RULES) == sorted(
        rule.code for rule in rules_in(module)
    )


@each_module
def test_a_module_has_one_hundred_and_says_which(module: ModuleType) -> None:
    (hundred,) = {rule.code[:4] for rule in module.RULES}
    assert f"{hundred}xx" in (module.__doc__ or "")


def test_rules_that_are_here_by_name_are_those_of_the_modules() -> None:
    by_name = {name: value for name, value in vars(codes).items() if isinstance(value, Rule)}
    assert set(by_name) <= set(codes.__all__)
    assert set(by_name.values()) <= set(RULES)


@each_rule
def test_a_rule_says_what_it_means_and_how_to_mend_it(rule: Rule) -> None:
    assert re.fullmatch(r"SR\d{4}", rule.code)
    assert rule.meaning
    assert not rule.meaning.endswith(".")
    assert "\n" not in rule.meaning + rule.mend
    assert re.fullmatch(r"[A-Z].*[.]", rule.mend)
    assert len(re.findall(r"[.] [A-Z]", rule.mend)) <= 1, "two sentences at most"
    assert rule.meaning not in rule.mend


@each_rule
def test_tags_have_names_of_their_own(rule: Rule) -> None:
    names = [name for name, _ in rule.tags]
    assert len(names) == len(set(names))
    assert not NAMES_OF_OTHERS & set(names)


def test_what_can_not_be_suppressed() -> None:
    kept = {rule.code[:4] for rule in RULES if instead_of_suppressing(rule.code)}
    assert kept == set(INSTEAD) == {"SR11", "SR12", "SR19", "SR20", "SR24"}
    assert instead_of_suppressing("SR1010") == ""
