"""Colours, and what they mean."""

from __future__ import annotations

from enum import StrEnum

from spokerender.findings.results import Severity


class Style(StrEnum):
    """Plain ANSI (ECMA-48 SGR): what every terminal has, light or dark."""

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
    """Put the text into a colour, if colours are asked for."""
    return f"\x1b[{style}m{text}\x1b[0m" if color and text else text
