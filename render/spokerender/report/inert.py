"""Markdown in which nothing of what others wrote is read as anything but text.

GitHub and GitLab take links, mentions, references to issues and commits, HTML and, at the start of
a line, quick actions out of any text but code. So plain words stay prose, and all else is code.
"""

import re

from spokerender.report.terminal import on_one_line

_WORD = re.compile(r"\(?[A-Za-z]+(?:['-][A-Za-z]+)*\)?[.,;:]?|[0-9]{1,4}(?:,[0-9]{3})?[.,;:]?|[-→]")
_LIKE_COMMIT = re.compile(r"[0-9a-f]{7,40}")
_END = re.compile(r"[.,;:]|\)[.,;:]?")
_TICKS = re.compile(r"`+")


def code_span(text: str) -> str:
    """Return a text as code on one line; ticks in it need more of them around it."""
    text = on_one_line(text).strip() or " "
    ticks = "`" * (max(map(len, _TICKS.findall(text)), default=0) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


_LONGEST_CELL = 200


def table_cell(text: str) -> str:
    """Return a text as code in a cell, where a bar would end the cell in spite of the code."""
    short = text if len(text) <= _LONGEST_CELL else f"{text[: _LONGEST_CELL - 1]}…"
    return code_span(short).replace("|", "\\x7c")


def inert(text: str) -> str:
    """Return a sentence whose plain words are prose, and whatever else is in it code."""
    parts: list[str] = []
    code: list[str] = []
    for word in on_one_line(text).split():
        if _WORD.fullmatch(word) and not _LIKE_COMMIT.fullmatch(word.strip("().,;:")):
            if code:
                parts.append(_span_words(code))
                code = []
            parts.append(word)
        else:
            code.append(word)
    if code:
        parts.append(_span_words(code))
    return " ".join(parts)


def _span_words(words: list[str]) -> str:
    """Return words as code; what punctuates the sentence behind them stays outside."""
    text = " ".join(words)
    bare = text.rstrip(".,;:") if "(" in text else text.rstrip(".,;:)")
    end = text[len(bare) :]
    if bare.strip() and _END.fullmatch(end):
        return f"{code_span(bare)}{end}"
    return code_span(text)


def fenced(lines: list[str], language: str) -> list[str]:
    """Return lines in a fence that nothing in them closes."""
    shown = list(map(on_one_line, lines))
    longest = max((len(run) for line in shown for run in _TICKS.findall(line)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}{language}", *shown, fence]
