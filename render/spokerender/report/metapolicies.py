"""Definitions of metapolicies, and what expressions come to."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from spokerender.findings.phrasing import joined
from spokerender.model import kind_name
from spokerender.rendering.values.metapolicies import Answer, Known
from spokerender.report.reports import Look, MetapoliciesReport, QueryReport
from spokerender.report.serializing import json_text
from spokerender.report.terminal import Style, paint

_SHOWN = 5


def known_text(report: MetapoliciesReport, look: Look) -> str:
    """The definitions in their order, for people."""
    return "".join(f"{line}\n" for each in report.definitions for line in _lines(each, look))


def _lines(each: Known, look: Look) -> Iterator[str]:
    name = paint(each.name, Style.BOLD, color=look.color)
    yield f"{name}  {kind_name(*each.kind)} ({each.way}, {each.origin})"
    yield f"  reads   {_kinds(each.reads)}"
    yield f"  writes  {_kinds(each.writes)}"
    if each.behind:
        yield f"  after   {', '.join(each.behind)}"
    what = "ships, and nothing is made of it" if each.ships else "stays behind"
    objects = joined(each.metapolicies, _SHOWN) if each.metapolicies else "none is in the hub"
    yield f"  {objects}: {what}"


def _kinds(kinds: Iterable[tuple[str, str]]) -> str:
    return ", ".join(kind_name(*kind) for kind in kinds) or "nothing"


def known_json(report: MetapoliciesReport, _: Look) -> str:
    """The definitions in their order, for programs."""
    return json_text({"metapolicies": [_plain(each) for each in report.definitions]})


def _plain(each: Known) -> dict[str, Any]:
    return {
        "name": each.name,
        "kind": kind_name(*each.kind),
        "way": each.way,
        "origin": str(each.origin),
        "reads": [kind_name(*kind) for kind in each.reads],
        "writes": [kind_name(*kind) for kind in each.writes],
        "after": list(each.behind),
        "ships": each.ships,
        "objects": list(map(str, each.metapolicies)),
    }


def answers_text(report: QueryReport, _: Look) -> str:
    """Format the values of an expression for people, spokes with equal values together."""
    parts = []
    for answer in report.answers:
        value = json.dumps(answer.value, indent=2, ensure_ascii=False)
        parts.append(value if len(report.answers) == 1 else f"On {_spokes(answer)}\n{value}")
    return "".join(f"{part}\n" for part in parts)


def _spokes(answer: Answer) -> str:
    return joined(answer.spokes, _SHOWN)


def answers_json(report: QueryReport, _: Look) -> str:
    """Format the values of an expression as JSON."""
    answers = [{"spokes": list(answer.spokes), "value": answer.value} for answer in report.answers]
    return json_text({"answers": answers})
