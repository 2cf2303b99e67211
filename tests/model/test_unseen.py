"""What Unicode calls a control, a format, a separator or ignorable is shown by nobody as it is."""

import re
import unicodedata

from spokerender.model.unseen import CONTROLS, VARIATIONS
from tests.support import each

_CONTROLS = re.compile(f"[{CONTROLS}]")
_IGNORABLE = (
    *(range(0x00AD, 0x00AE), range(0x034F, 0x0350), range(0x061C, 0x061D), range(0x115F, 0x1161)),
    *(range(0x17B4, 0x17B6), range(0x180B, 0x1810), range(0x200B, 0x2010), range(0x202A, 0x202F)),
    *(range(0x2060, 0x2070), range(0x3164, 0x3165), range(0xFE00, 0xFE10), range(0xFEFF, 0xFF00)),
    *(range(0xFFA0, 0xFFA1), range(0xFFF0, 0xFFF9), range(0x1BCA0, 0x1BCA4)),
    *(range(0x1D173, 0x1D17B), range(0xE0000, 0xE1000)),
)
"""Default_Ignorable_Code_Point of Unicode 15.1, DerivedCoreProperties.txt."""


def test_it_holds_all_of_the_categories() -> None:
    characters = (chr(code) for code in range(0x110000))
    of_them = {each for each in characters if unicodedata.category(each) in _CATEGORIES}
    assert {each for each in of_them - {"\t", "\n"} if not _CONTROLS.match(each)} == set()


_CATEGORIES = {"Cc", "Cf", "Cs", "Zl", "Zp"}


def test_it_holds_all_that_is_ignorable() -> None:
    seen = re.compile(f"[^{CONTROLS}{VARIATIONS}]")
    ignorable = {chr(code) for codes in _IGNORABLE for code in codes}
    assert {each for each in ignorable if seen.match(each)} == set()


@each("a\tb\n", "größer", "日本語", "e\u0301", "한글", "नमस्ते")
def test_it_holds_nothing_that_people_write(text: str) -> None:
    assert not _CONTROLS.search(text)
