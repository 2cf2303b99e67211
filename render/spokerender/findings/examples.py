"""Examples of findings: files of a project that make one, and the same files mended."""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec import Struct

_HEAD = re.compile(r"^=== (both|wrong|right): (\S+)\n", re.MULTILINE)

Texts = Mapping[str, str]
"""Files by their path in the project."""


class Example(Struct, frozen=True):
    """Files that are put into the sample project of `init`: with `wrong` there is the finding.

    `both` are needed for it and stay as they are.
    """

    both: Texts
    wrong: Texts
    right: Texts


class Examples(Struct, frozen=True):
    """All examples by code, and for codes without one why there is none, by how they begin."""

    written: Mapping[str, Example]
    reasons: Mapping[str, str]

    def why_none(self, code: str) -> str:
        """Why a code has no example."""
        starts = (code[:length] for length in range(len(code), 0, -1))
        return next(self.reasons[start] for start in starts if start in self.reasons)


def parsed(text: str) -> Example:
    """An example as it is written: below `=== wrong: PATH` stands the text of that file."""
    _, *parts = _HEAD.split(text)
    sides: dict[str, dict[str, str]] = {"both": {}, "wrong": {}, "right": {}}
    for side, path, content in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        sides[side][path] = content
    return Example(**sides)


def reasons(text: str) -> Mapping[str, str]:
    """Why there is no example: a line for each code, or for all that begin so."""
    pairs = (line.partition(" ") for line in text.splitlines())
    return {start: reason for start, _, reason in pairs}
