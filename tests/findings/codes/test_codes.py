"""The table of findings: complete, sorted, and of use to whoever has only a code in hand."""

from __future__ import annotations

import importlib
import pkgutil
import re
from types import ModuleType

import pytest

from spokerender.findings import codes
from spokerender.findings.codes.suppressions import INSTEAD, instead_of_suppressing
from spokerender.findings.codes.table import FINDING_KINDS, HUNDREDS
from spokerender.findings.results import FindingKind

MODULES = [
    importlib.import_module(f"spokerender.findings.codes.{info.name}")
    for info in pkgutil.iter_modules(codes.__path__)
    if info.name != "table"
]
NAMES_OF_OTHERS = {"code", "cure", "suppressed"}
"""Tags that results get besides their kind's."""

each_module = pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
each_kind = pytest.mark.parametrize("kind", FINDING_KINDS, ids=lambda kind: kind.code)


def test_codes_are_unique_and_sorted() -> None:
    found = [kind.code for kind in FINDING_KINDS]
    assert found == sorted(set(found))


def test_every_module_is_in_the_table() -> None:
    told = {about: {kind.code for kind in kinds} for about, kinds in HUNDREDS.items()}
    defined = [
        {value.code for value in vars(module).values() if isinstance(value, FindingKind)}
        for module in MODULES
    ]
    assert sorted(map(sorted, told.values())) == sorted(map(sorted, defined))


@each_module
def test_a_module_has_one_hundred_and_says_which(module: ModuleType) -> None:
    values = vars(module).values()
    (hundred,) = {value.code[:4] for value in values if isinstance(value, FindingKind)}
    assert f"{hundred}xx" in (module.__doc__ or "")


@each_kind
def test_a_kind_says_what_it_means_and_how_to_mend_it(kind: FindingKind) -> None:
    assert re.fullmatch(r"SR\d{4}", kind.code)
    assert kind.meaning
    assert not kind.meaning.endswith(".")
    assert "\n" not in kind.meaning + kind.mend
    assert re.fullmatch(r"[A-Z].*[.]", kind.mend)
    assert len(re.findall(r"[.] [A-Z]", kind.mend)) <= 1, "two sentences at most"
    assert kind.meaning not in kind.mend


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
