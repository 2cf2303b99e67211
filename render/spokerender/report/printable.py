r"""Text that can do nothing to a terminal, a log or a CI runner that shows it.

Names, messages and values come from files that others write. What moves the cursor, turns the
direction of text, ends a line where none ends or commands a runner is shown escaped, as Python
writes it: `\x1b`, `\u202e`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from spokerender.model.unseen import CONTROLS
from spokerender.report.colors import Style

_COLOR = re.compile(rf"(\x1b\[(?:0|{'|'.join(Style)})m)")
_COMMAND = re.compile(r"^([ \t]*):(?=:)", re.MULTILINE)
_OLD_COMMAND = "##["


def printable(text: str, *, color: bool = False) -> str:
    """Lines as they can be shown; with `color`, our own colours stay.

    The runner of GitHub Actions takes a line that begins with `::` for a command, and `##[`
    wherever it stands (actions/runner, `ActionCommand.cs`).
    """
    parts = _COLOR.split(text) if color else [text]
    parts[::2] = [_safe(part, _python_escape) for part in parts[::2]]  # between the colours
    text = "".join(parts)
    return _COMMAND.sub(r"\1\\x3a", text).replace(_OLD_COMMAND, "\\x23#[")


def on_one_line(text: str) -> str:
    """A value as it can be shown within a line: a line feed in it is escaped, too."""
    return _safe(text, _python_escape).replace("\n", "\\n")


def safe_json(text: str) -> str:
    """JSON that says the same, with escapes for what is not printable within its strings."""
    return _safe(text, lambda found: json.dumps(found[0])[1:-1])


def _python_escape(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode()


def _safe(text: str, escape: Callable[[re.Match[str]], str]) -> str:
    """The text with what is unsafe escaped: nearly always nothing, and no pattern is compiled."""
    if text.isascii() and text.replace("\n", "").isprintable():
        return text
    return re.sub(f"[{CONTROLS}]", escape, text)
