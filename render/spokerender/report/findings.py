"""Results as text for people, and as JSON in the words of the KRM functions specification."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from spokerender.findings.causes import families, marked
from spokerender.findings.results import EXCERPT, Result, Severity
from spokerender.findings.suppressions import SUPPRESSED
from spokerender.findings.words import count, on_spokes
from spokerender.model import Origin, Ref
from spokerender.report.colors import SEVERITY_STYLES, Style, paint
from spokerender.report.printable import on_one_line, printable, safe_json
from spokerender.report.reports import Look, Report

_FOLDED = 2
"""How many findings have to follow from another to be folded beneath it."""

_SEVERITIES = (Severity.ERROR, Severity.WARNING, Severity.INFO)


def findings_text(report: Report, look: Look) -> str:
    """The findings of any report, for people."""
    return results_text(
        report.results, color=look.color, verbose=look.verbose, spokes=report.spokes
    )


def findings_json(report: Report, _: Look) -> str:
    """The findings of any report, for programs."""
    return results_json(report.results)


def results_text(
    results: Iterable[Result], *, color: bool, verbose: bool, spokes: int | None = None
) -> str:
    """Tell every finding with its place and cure, errors first, then by file and line.

    Args:
        results: what was found.
        color: whether the reader is a terminal.
        verbose: whether infos are told as well.
        spokes: how many spokes there are, so that "all" can be said.

    Returns:
        Lines that end in a line feed; empty if nothing was found.

    """
    in_order = sorted_results(results)
    shown = [result for result in in_order if verbose or result.severity is not Severity.INFO]
    lines: list[str] = []
    for root, others in families(shown, smallest=_FOLDED):
        lines += _lines(root, color=color, spokes=spokes)
        lines += _following(others, color=color, verbose=verbose, spokes=spokes)
    hidden = len(in_order) - len(shown)
    if hidden:
        lines.append(
            f"{count(hidden, 'info')} not shown; -v shows {'them' if hidden > 1 else 'it'}"
        )
    if in_order:
        lines.append(summary(in_order))
    return printable("".join(f"{line}\n" for line in lines), color=color)


def results_json(results: Iterable[Result]) -> str:
    """The findings as one JSON object with the list `results`."""
    return json_text({"results": [result_value(each) for each in _with_causes(results)]})


def results_member(results: Iterable[Result]) -> dict[str, Any]:
    """The findings as a member of a JSON object about something else; nothing without any."""
    values = [result_value(result) for result in _with_causes(results)]
    return {"results": values} if values else {}


def _with_causes(results: Iterable[Result]) -> Sequence[Result]:
    """All of them, in order, each that follows from another marked."""
    return sorted_results(marked(sorted_results(results)))


def sorted_results(results: Iterable[Result]) -> Sequence[Result]:
    """Errors first, then by file and line; what has no place comes before what has."""
    return sorted(results, key=_order)


def summary(results: Iterable[Result]) -> str:
    """Count them: `2 errors, 1 warning`."""
    counts = Counter(result.severity for result in results)
    return ", ".join(
        count(counts[severity], severity) for severity in _SEVERITIES if counts[severity]
    )


def result_value(result: Result) -> dict[str, Any]:
    """One finding as JSON data: a KRM `Result`, with the spokes that it concerns.

    Its code and what to do about it are tags, as the specification has no fields for them.
    """
    value: dict[str, Any] = {"message": result.message, "severity": str(result.severity)}
    if result.resource is not None:
        value["resourceRef"] = ref_value(result.resource)
    if result.field:
        value["field"] = {"path": result.field}
    if result.origin is not None:
        value["file"] = origin_value(result.origin)
    cure = {"cure": result.cure} if result.cure else {}
    value["tags"] = {"code": result.code} | cure | dict(result.tags)
    if result.spokes:
        value["spokes"] = list(result.spokes)
    return value


def with_about(result: Result) -> str:
    """Its code, the object and the field: `SR1010 AuthPolicy shop/pay spec.targetRef`."""
    return " ".join(str(part) for part in (result.code, result.resource, result.field) if part)


def ref_value(ref: Ref) -> dict[str, str]:
    """An identity as JSON data; its group is said where KRM has the whole `apiVersion`."""
    parts = {"group": ref.group, "kind": ref.kind, "namespace": ref.namespace, "name": ref.name}
    return {key: text for key, text in parts.items() if text}


def origin_value(origin: Origin) -> dict[str, Any]:
    """A place as JSON data: file, index of the document in it, line and, if it matters, column."""
    place: dict[str, Any] = {"path": origin.path, "index": origin.index, "line": origin.line}
    return place | ({"column": origin.column} if origin.column else {})


def json_text(value: Any) -> str:  # noqa: ANN401  (JSON data of any shape)
    """JSON for programs that a person may look at, too."""
    return safe_json(json.dumps(value, indent=2, ensure_ascii=False)) + "\n"


def merged_json(*texts: str) -> str:
    """Several JSON objects as one."""
    return json_text({key: value for text in texts for key, value in json.loads(text).items()})


def _lines(result: Result, *, color: bool, spokes: int | None) -> list[str]:
    severity = paint(result.severity, SEVERITY_STYLES[result.severity], color=color)
    place = on_one_line(f"{result.origin}: ") if result.origin else ""
    place = paint(place, Style.BOLD, color=color)
    lines = [f"{place}{severity} {on_one_line(f'{with_about(result)}: {result.message}')}"]
    if result.spokes:
        lines.append(f"    {on_one_line(on_spokes(result.spokes, spokes))}")
    lines += [f"    {on_one_line(line)}".rstrip() for line in result.cure.split("\n") if line]
    shown = (text for name, text in result.tags if name == EXCERPT)
    lines[1:1] = [f"    {on_one_line(line)}" for text in shown for line in text.split("\n")]
    tags = (f"{name}: {text}" for name, text in result.tags if name == SUPPRESSED)
    lines += [f"    {on_one_line(tag)}" for tag in tags]
    return lines


def _following(
    results: Sequence[Result], *, color: bool, verbose: bool, spokes: int | None
) -> Iterator[str]:
    """What follows from a finding, below it: how many there are, or each of them."""
    if not results:
        return
    verb, them = ("follow", "them") if len(results) > 1 else ("follows", "it")
    end = ":" if verbose else f"; -v shows {them}"
    yield f"    {len(results):,} more {verb} from this{end}"
    for result in results if verbose else ():
        yield from (f"    {line}" for line in _lines(result, color=color, spokes=spokes))


def _order(result: Result) -> tuple[Any, ...]:
    origin = result.origin or Origin("", 0, 0)
    rank = _SEVERITIES.index(result.severity)
    return rank, origin.path, origin.line, result.code, result.field, result.message, result.spokes
