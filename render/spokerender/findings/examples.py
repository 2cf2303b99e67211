"""Examples of findings: project files with the problem, and the same files without it."""

import re
from collections.abc import Mapping

from msgspec import Struct

_HEAD = re.compile(r"^=== (both|wrong|right): (\S+)\n", re.MULTILINE)

_Texts = Mapping[str, str]
"""Files by their path in the project."""


class CodeMeaning(Struct, frozen=True):
    """The meaning of a code, and the general way to fix such a finding."""

    meaning: str
    mend: str


class Example(Struct, frozen=True):
    """Files for `init`'s sample project: with `wrong` the finding is made, with `right` it is not.

    `both` are files that are needed in both cases.
    """

    both: _Texts
    wrong: _Texts
    right: _Texts


class Examples(Struct, frozen=True):
    """The examples by code; for codes without an example, reasons by the first part of the code."""

    written: Mapping[str, Example]
    reasons: Mapping[str, str]

    def why_none(self, code: str) -> str:
        """Return why a code has no example, from the longest matching entry in `reasons`."""
        starts = (code[:length] for length in range(len(code), 0, -1))
        return next(self.reasons[start] for start in starts if start in self.reasons)


def parse_example(text: str) -> Example:
    """Return the example in `text`; each of its files follows a line such as `=== wrong: PATH`."""
    _, *parts = _HEAD.split(text)
    sides: dict[str, dict[str, str]] = {"both": {}, "wrong": {}, "right": {}}
    for side, path, content in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        sides[side][path] = content
    return Example(**sides)


def reasons(text: str) -> Mapping[str, str]:
    """Return reasons for missing examples by the first part of codes; a line has both."""
    pairs = (line.partition(" ") for line in text.splitlines())
    return {start: reason for start, _, reason in pairs}
