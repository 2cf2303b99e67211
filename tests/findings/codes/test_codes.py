"""The table of findings: complete, sorted, and of use to whoever has only a code in hand."""

import pkgutil
import re
from importlib import import_module

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


def test_codes_are_unique_and_sorted() -> None:
    found = [kind.code for kind in FINDING_KINDS]
    assert found == sorted(set(found))


def test_every_kind_of_every_module_has_a_hundred_with_a_title() -> None:
    kinds = [value for module in MODULES for value in vars(module).values()]
    declared = {kind.code for kind in kinds if isinstance(kind, FindingKind)}
    assert [kind.code for kinds in HUNDREDS.values() for kind in kinds] == sorted(declared)
    assert all(HUNDREDS.values())


def test_a_module_says_which_hundreds_it_has() -> None:
    for module in MODULES:
        values = vars(module).values()
        hundreds = {f"{value.code[:4]}xx" for value in values if isinstance(value, FindingKind)}
        assert hundreds == set(re.findall(r"SR\d\dxx", module.__doc__ or "")), module


def test_a_kind_says_what_it_means_and_how_to_mend_it() -> None:
    for code, text in MEANINGS.items():
        meaning, mend = text.meaning, text.mend
        assert re.fullmatch(r"SR\d{4}", code)
        assert meaning, code
        assert not meaning.endswith("."), code
        assert "\n" not in meaning + mend, code
        assert re.fullmatch(r"[A-Z].*[.]", mend), code
        assert len(re.findall(r"[.] [A-Z]", mend)) <= 1, f"{code}: two sentences at most"
        assert meaning not in mend, code


def test_only_kinds_are_explained() -> None:
    assert sorted(MEANINGS) == [kind.code for kind in FINDING_KINDS]


def test_tags_have_names_of_their_own() -> None:
    for kind in FINDING_KINDS:
        names = [*NAMES_OF_OTHERS, *(name for name, _ in kind.tags)]
        assert len(names) == len(set(names)), kind.code


def test_what_can_not_be_suppressed() -> None:
    refused = {kind.code for kind in FINDING_KINDS if instead_of_suppressing(kind.code)}
    kept = {code if code in INSTEAD else code[:4] for code in refused}
    assert kept == set(INSTEAD) == {"SR11", "SR12", "SR1507", "SR19", "SR20", "SR24", "SR30"}
    assert instead_of_suppressing("SR1010") == ""
