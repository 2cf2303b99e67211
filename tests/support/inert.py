"""An oracle: does Markdown hold nothing but the plain words and the code that reviews write?"""

import re
from itertools import pairwise

from spokerender.report.markdown import MARK

_OURS = re.compile(
    r"(?: {0,2}- |#{2,3} |> |\| )?[|\w '\".,;:()!→❌⚠️💡“”*-]*"
    r"|<details><summary>[0-9,]+ changes?</summary>|</details>"
)
_FENCE = re.compile(r"( {0,6})(`{3,})[a-z]*")
_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.*?[^`])\1(?!`)")
_DELIMITER = re.compile(r"[ >|:-]*-[ >|:-]*")
_LINKED = re.compile(r"\S[.:]\S|[A-Za-z]-[0-9]|\b[0-9a-f]{7,40}\b")
"""Addresses, references to issues (`GH-1`) and commits, which hosts make links of."""


def is_inert(markdown: str) -> bool:
    """Report whether all lines are plain words and code, in which nothing ends a fence.

    A fence ends at any run of as many ticks, and where a line has less indentation than its item.
    """
    lines = markdown.removeprefix(MARK).split("\n")
    indent, fence = "", ""
    if _has_split_code(lines):
        return False
    for line in lines:
        opened = _FENCE.fullmatch(line)
        if fence and line == indent + fence:
            fence = ""
        elif fence:
            if fence in line or not line.startswith(indent):
                return False
        elif opened:
            indent, fence = opened.groups()
        elif not _is_ours(line):
            return False
    return not fence


def _has_split_code(lines: list[str]) -> bool:
    """Report whether a row of a table may have a bar in code, which ends the code and the cell.

    A line of hyphens makes a table of the line above it, and of all up to an empty line.
    """
    is_table = False
    for above, line in pairwise(["", *lines]):
        is_table = bool(line) and (is_table or _DELIMITER.fullmatch(line) is not None)
        rows = (above, line) if is_table else ()
        if any("|" in span[2] for row in rows for span in _SPAN.finditer(row)):
            return True
    return False


def _is_ours(line: str) -> bool:
    bare = _SPAN.sub("", line)
    return _OURS.fullmatch(bare) is not None and _LINKED.search(bare) is None
