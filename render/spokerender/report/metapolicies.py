"""Definitions of metapolicies, and the values of expressions, as text."""

import json
from collections.abc import Iterator

from spokerender.findings.phrasing import joined
from spokerender.rendering.values.metapolicies import ListedDefinition
from spokerender.report.reports import Look, MetapoliciesReport, QueryReport
from spokerender.report.terminal import Style, paint

_SHOWN = 5


def definitions_text(report: MetapoliciesReport, look: Look) -> str:
    """Return the definitions in their order."""
    if not report.definitions:
        return "no metapolicies: spec.metapolicies in fleet.yaml names no definition\n"
    return "".join(f"{line}\n" for item in report.definitions for line in _lines(item, look))


def _lines(definition: ListedDefinition, look: Look) -> Iterator[str]:
    name = paint(definition.name, Style.BOLD, color=look.color)
    yield f"{name}  {definition.kind} ({definition.way}, {definition.origin})"
    yield f"  reads   {', '.join(definition.reads) or 'nothing'}"
    yield f"  writes  {', '.join(definition.writes) or 'nothing'}"
    if definition.after:
        yield f"  after   {', '.join(definition.after)}"
    outcome = "ships, and nothing is made of it" if definition.ships else "stays behind"
    if definition.kind in definition.writes:
        outcome = "ships with the changes that it makes to itself"
    objects = joined(definition.objects, _SHOWN) if definition.objects else "none is in the hub"
    yield f"  {objects}: {outcome}"


def answers_text(report: QueryReport, _: Look) -> str:
    """Return the values of an expression; spokes with equal values share one."""
    parts = []
    for answer in report.answers:
        value = json.dumps(answer.value, indent=2, ensure_ascii=False)
        on_spokes = f"On {joined(answer.spokes, _SHOWN)}\n" if len(report.answers) > 1 else ""
        parts.append(f"{on_spokes}{value}\n")
    return "".join(parts)
