r"""Text for terminals, logs and CI runners: colours, columns, and escapes of harmful characters.

Names, messages and values come from files of other people. Characters that move the cursor, change
the direction of text or end a line, and text that a CI runner takes for a command, become Python's
escapes: `\x1b`, `\u202e`. Letters that look like Latin letters are named after the word.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum

from spokerender.findings.results import Severity
from spokerender.model.unseen import CONTROLS

_OLD_COMMAND = "##["
_LAST_LATIN = "\u024f"
"""The last letter of Latin Extended-B; letters of other scripts and of phonetics follow."""
_NAMED = 5
_OWN_VALUE, _NO_BREAK = r"\{\{ [^ {}]+ \}\}", "\x1f"
"""The placeholder for a spoke's own value, and the character for its spaces during wrapping."""
# Narrower terminals get lines that are too long rather than a word a line.
_NARROWEST, _LONG = 36, 160


class Style(StrEnum):
    """A colour in plain ANSI (ECMA-48 SGR), which every terminal has, light or dark."""

    BOLD = "1"
    FAINT = "2"
    RED = "1;31"
    GREEN = "32"
    YELLOW = "1;33"
    CYAN = "36"


SEVERITY_STYLES = {
    Severity.ERROR: Style.RED,
    Severity.WARNING: Style.YELLOW,
    Severity.INFO: Style.CYAN,
}


def paint(text: str, style: Style, *, color: bool) -> str:
    """Return the text in a style if `color` is set."""
    return f"\x1b[{style}m{text}\x1b[0m" if color and text else text


def printable(text: str, *, color: bool = False) -> str:
    """Return text with unprintable characters escaped; with `color`, colours are kept."""
    # The group in the pattern keeps the colours, at the odd places of the list.
    parts = re.split(rf"(\x1b\[(?:0|{'|'.join(Style)})m)", text) if color else [text]
    parts[::2] = [escape_controls(part) for part in parts[::2]]  # between the colours
    text = "".join(parts)
    # The runner of GitHub Actions takes a line that begins with `::` for a command, and `##[`
    # anywhere in a line (actions/runner, `ActionCommand.cs`).
    if "::" in text:
        text = re.sub(r"^([ \t]*):(?=:)", r"\1\\x3a", text, flags=re.MULTILINE)
    return text.replace(_OLD_COMMAND, "\\x23#[")


def on_one_line(text: str) -> str:
    """Return a value on one line, escaped, with the codes of letters that mislead."""
    return _name_lookalikes(escape_controls(text).replace("\n", "\\n"))


def _name_lookalikes(text: str) -> str:
    """Return text; foreign letters in words with Latin letters get their codes: ` [U+0430]`."""
    if text.isascii():
        return text
    # Not again behind a word where they are named.
    # Possessive: else a word that is named already would match without its last letter.
    return re.sub(r"""[^\s"'`]++(?!["'`]*+ \[U\+)""", _name_letters, text)


def _name_letters(match: re.Match[str]) -> str:
    word = match[0]
    letters = (letter for letter in word if letter.isalnum() and letter > _LAST_LATIN)
    codes = [f"U+{ord(letter):04X}" for letter in dict.fromkeys(letters)]
    # A word in one script misleads nobody; an issuer with one foreign letter looks like another.
    is_mixed = codes and re.search("[A-Za-z]", word)
    return f"{word} [{' '.join(codes[:_NAMED])}]" if is_mixed else word


def break_list(text: str) -> str:
    """Return a text; if it is long, the items of lists in it begin separate, indented lines."""
    if len(text) <= _LONG:
        return text
    # A path, or a section of one, has a line of its own as well.
    return re.sub(r", (?=[A-Z]\w+ \S+ [\[>])", ",\n        ", text.replace("; ", ";\n    "))


def wrap_words(text: str, width: int, indent: str = "    ", first: str = "") -> list[str]:
    """Return a text wrapped at a width, with `indent` after the first line; names stay whole."""
    text = on_one_line(text)
    if len(first) + len(text) <= width:
        return [first + text]
    from textwrap import wrap  # noqa: PLC0415  (start-up counts)

    lines = wrap(
        re.sub(_OWN_VALUE, lambda it: it[0].replace(" ", _NO_BREAK), text),
        max(width, _NARROWEST),
        initial_indent=first,
        subsequent_indent=indent,
        # A broken name could not be copied, or searched.
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [line.replace(_NO_BREAK, " ") for line in lines] or [""]


def wrap_indented(text: str, width: int) -> list[str]:
    """Return a text wrapped at a width, on indented lines."""
    return [f"    {line}" for line in wrap_words(text, max(width - 4, _NARROWEST), "  ")]


def fold_lines(text: str, width: int) -> str:
    """Return text whose long lines are wrapped between words; new lines are indented."""
    return "".join(_fold(line, max(width, _NARROWEST)) for line in text.splitlines(keepends=True))


def _fold(line: str, width: int) -> str:
    if _drawn(line.rstrip("\n")) <= width:
        return line
    # Spaces stay with the word behind them, so columns survive up to the fold.
    first, *words = re.findall(rf" *(?:{_OWN_VALUE}|[^ ])+", line)
    indent = " " * (len(line) - len(line.lstrip(" ")) + 4)
    lines = [first]
    for word in words:
        if _drawn(lines[-1] + word.rstrip("\n")) <= width:
            lines[-1] += word
        else:
            lines.append(indent + word.lstrip(" "))
    return "\n".join(lines)


def _as_python(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode()


def escape_controls(text: str, escape: Callable[[re.Match[str]], str] = _as_python) -> str:
    """Return text with every character of `CONTROLS` escaped."""
    if text.isascii() and text.replace("\n", "").isprintable():  # nearly always: compile nothing
        return text
    return re.sub(f"[{CONTROLS}]", escape, text)


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows laid out as by kubectl: aligned cells, three spaces between columns."""
    widths = [drawn_width(column) for column in zip(*rows, strict=True)]
    return [
        "   ".join(
            cell + " " * (width - _drawn(cell)) for cell, width in zip(row, widths, strict=True)
        ).rstrip()
        for row in rows
    ]


def fit_table(
    wide: Sequence[Sequence[str]],
    narrow: Sequence[Sequence[str]],
    width: int,
    spare: Sequence[str],
) -> list[str]:
    """Return the rows of the wide table if they fit in a width, or else those of the narrow one."""
    lines = columns(wide)
    whole = drawn_width(lines)
    return lines if whole <= width else fit_columns(narrow, width, spare, whole)


def fit_columns(
    rows: Sequence[Sequence[str]], width: int, spare: Sequence[str], whole: int = 0
) -> list[str]:
    """Return rows as lines of at most `width`; `spare` columns are removed as needed.

    The first row is the header. If columns are removed, a last line names them, and the width of
    all columns (at least `whole`). If `whole` is given and rows are still too wide, their first
    cell gets its own line.
    """
    lines = columns(rows)
    needed = max(whole, drawn_width(lines))
    left_out: list[str] = []
    shown = rows
    for name in spare:
        if drawn_width(lines) <= width:
            break
        left_out.append(name)
        places = [place for place, title in enumerate(rows[0]) if title not in left_out]
        # Rows that differed only in the left-out column would now be repeats.
        shown = [*dict.fromkeys(tuple(row[place] for place in places) for row in rows)]
        lines = columns(shown)
    if whole and drawn_width(lines) > width:
        rest = columns([row[1:] for row in shown])
        lines = [
            line for row, it in zip(shown, rest, strict=True) for line in (row[0], f"    {it}")
        ]
    note = f"(left out: {', '.join(left_out)}; COLUMNS={needed} has room for all)"
    return [*lines, *([note] if left_out else [])]


def drawn_width(lines: Iterable[str]) -> int:
    """Return the width of the longest line on a terminal."""
    return max(map(_drawn, lines))


def _drawn(text: str) -> int:
    """Return the width of a text on a terminal, where our colours take no room."""
    return len(re.sub(r"\x1b\[[0-9;]*m", "", text) if "\x1b" in text else text)
