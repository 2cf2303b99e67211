"""The sign and the colour of each mark of a policy, and the words about what a bound removed."""

from collections.abc import Iterable, Mapping

from msgspec import Struct

from spokerender.explain.diagram import Diagram, PolicyMark
from spokerender.findings.phrasing import count, joined
from spokerender.report.terminal import Style


class Sign(Struct, frozen=True):
    """A sign, so that nobody depends on colours; `tone` names the colour, `style` a terminal's."""

    text: str
    tone: str
    style: Style


SIGNS: Mapping[PolicyMark, Sign] = {
    PolicyMark.IN_FORCE: Sign("✓", "good", Style.GREEN),
    PolicyMark.PARTLY: Sign("◐", "fair", Style.YELLOW),
    PolicyMark.OVERRIDDEN: Sign("⊘", "fair", Style.YELLOW),
    PolicyMark.UNKNOWN: Sign("?", "open", Style.CYAN),
    PolicyMark.CONFLICTED: Sign("✗", "poor", Style.RED),
    PolicyMark.REFUSED: Sign("!", "poor", Style.RED),
}


def marks_in(diagram: Diagram) -> list[PolicyMark]:
    """Return the marks that a diagram shows, in their order."""
    shown = {policy.mark for box in diagram.boxes for policy in box.policies}
    return [mark for mark in SIGNS if mark in shown]


def describe_left_out(left_out: Iterable[tuple[str, int]]) -> str:
    """Return what a bound removed in words: `3 rules and 1 HTTPRoute`; empty for nothing."""
    parts = [count(number, heading) for heading, number in left_out]
    return joined(parts) if parts else ""
