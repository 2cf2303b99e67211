"""The table of findings: complete, sorted, and of use to whoever has only a code in hand."""

from __future__ import annotations

import pkgutil
import re
from importlib import import_module
from types import ModuleType

import pytest

from spokerender.edge.carried import carried_meanings
from spokerender.findings import codes
from spokerender.findings.codes.table import FINDING_KINDS, HUNDREDS
from spokerender.findings.results import FindingKind
from spokerender.findings.suppressions import INSTEAD, instead_of_suppressing

MEANINGS = carried_meanings()
NAMES = [info.name for info in pkgutil.iter_modules(codes.__path__) if info.name != "table"]
MODULES = [import_module(f"{codes.__name__}.{name}") for name in NAMES]
NAMES_OF_OTHERS = {"code", "cure", "suppressed"}
"""Tags that results get besides their kind's."""

each_module = pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
each_kind = pytest.mark.parametrize("kind", FINDING_KINDS, ids=lambda kind: kind.code)


def test_codes_are_unique_and_sorted() -> None:
    found = [kind.code for kind in FINDING_KINDS]
    assert found == sorted(set(found))


def test_every_kind_of_every_module_has_a_hundred_with_a_title() -> None:
    kinds = [value for module in MODULES for value in vars(module).values()]
    declared = {kind.code for kind in kinds if isinstance(kind, FindingKind)}
    assert [kind.code for kinds in HUNDREDS.values() for kind in kinds] == sorted(declared)
    assert all(HUNDREDS.values())


@each_module
def test_a_module_says_which_hundreds_it_has(module: ModuleType) -> None:
    values = vars(module).values()
    hundreds = {value.code[:4] for value in values if isinstance(value, FindingKind)}
    assert {f"{hundred}xx" for hundred in hundreds} == set(
        re.findall(r"SR\d\dxx", module.__doc__ or "")
    )


@each_kind
def test_a_kind_says_what_it_means_and_how_to_mend_it(kind: FindingKind) -> None:
    assert re.fullmatch(r"SR\d{4}", kind.code)
    meaning, mend = MEANINGS[kind.code].meaning, MEANINGS[kind.code].mend
    assert meaning
    assert not meaning.endswith(".")
    assert "\n" not in meaning + mend
    assert re.fullmatch(r"[A-Z].*[.]", mend)
    assert len(re.findall(r"[.] [A-Z]", mend)) <= 1, "two sentences at most"
    assert meaning not in mend


def test_only_kinds_are_explained() -> None:
    assert sorted(MEANINGS) == [kind.code for kind in FINDING_KINDS]


@each_kind
def test_tags_have_names_of_their_own(kind: FindingKind) -> None:
    names = [name for name, _ in kind.tags]
    assert len(names) == len(set(names))
    assert not NAMES_OF_OTHERS & set(names)


def test_what_can_not_be_suppressed() -> None:
    refused = {kind.code for kind in FINDING_KINDS if instead_of_suppressing(kind.code)}
    kept = {code if code in INSTEAD else code[:4] for code in refused}
    assert kept == set(INSTEAD) == {"SR11", "SR12", "SR1507", "SR19", "SR20", "SR24", "SR30"}
    assert instead_of_suppressing("SR1010") == ""
