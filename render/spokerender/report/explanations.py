"""Explanations of an object, a spoke or the fleet, and the list of spokes, as text."""

import shlex
from collections.abc import Iterator, Sequence

from spokerender.explain import values
from spokerender.explain.near_misses import Unattached, Unpermitted
from spokerender.findings.phrasing import count, listed, on_spokes
from spokerender.model import Ref, grouped, shown
from spokerender.rendering.values.decisions import ClusterVerdict, PlacementFunnel
from spokerender.report.describing import source_text
from spokerender.report.fields import change_lines, value_lines
from spokerender.report.findings import findings_text
from spokerender.report.reports import ExplainReport, FindingsReport, Look, SpokesReport
from spokerender.report.terminal import Style, fit_columns, on_one_line, paint

_FIELD_VALUES = 20
"""The number of values of one field that are shown, if they differ between spokes."""
_DESTINATIONS = 10
"""The number of identities that are shown, if they differ between spokes."""


def explain_text(report: ExplainReport, look: Look) -> str:
    """Return an object's destinations with reasons, a spoke's objects and needs, or the fleet."""
    explanation = report.explanation
    match explanation:
        case values.ObjectExplanation():
            lines = _object_lines(explanation, color=look.color)
        case values.SpokeExplanation():
            lines = _spoke_lines(explanation, color=look.color)
        case values.FleetSummary():
            return "".join(f"{line}\n" for line in _fleet_lines(explanation))
        case PlacementFunnel():
            return "".join(f"{line}\n" for line in _funnel_lines(explanation, look))
    text = "".join(f"{line}\n" for line in lines)
    findings = findings_text(FindingsReport(results=explanation.results), look)
    return f"{text}\n{findings}" if findings else text


def spokes_table(report: SpokesReport, look: Look) -> str:
    """Return a table with a row for each spoke, in columns as kubectl prints them."""
    header = ("SPOKE", "LABELS", "GATEWAYS", "OBJECTS", "DECLARED AT")
    rows = [
        (
            spoke.name,
            ",".join(f"{key}={value}" for key, value in spoke.labels.items()) or "-",
            ", ".join(spoke.gateways) or "-",
            f"{spoke.objects:,}",
            spoke.place,
        )
        for spoke in report.declared
    ]
    lines = fit_columns([header, *rows], look.width, ("DECLARED AT", "GATEWAYS", "LABELS"))
    return "".join(f"{on_one_line(line)}\n" for line in lines)


def _funnel_lines(funnel: PlacementFunnel, look: Look) -> Iterator[str]:
    """Yield the result of a Placement, then a row for each cluster with its verdict and reason."""
    title = paint(f"Placement {funnel.key}", Style.BOLD, color=look.color)
    selected = sum(len(group.clusters) for group in funnel.groups)
    number = count(len(funnel.clusters), "cluster")
    yield f"{title} ({funnel.origin}): {selected:,} of {number}, {funnel.source}"
    if funnel.refused:
        yield f"  refused: {funnel.refused}"
    elif funnel.condition:
        yield f"  {funnel.condition}: {funnel.message}"
    # A Placement that selects by its rules says so; sets matter when it selects nothing.
    if funnel.condition or funnel.refused:
        yield f"  sets: {', '.join(funnel.sets) or 'none'}"
    if len(funnel.groups) > 1:
        for group in funnel.groups:
            name = f' "{group.name}"' * bool(group.name)
            yield f"  group {group.index}{name}: {listed(group.clusters)}"
    if not funnel.clusters:
        return
    rows = [
        ("CLUSTER", "VERDICT", "RANK", "TOTAL", "SCORES", "WHY"),
        *map(_verdict_row, funnel.clusters),
    ]
    yield ""
    yield from map(on_one_line, fit_columns(rows, look.width, ("SCORES",)))


def _verdict_row(cluster: ClusterVerdict) -> tuple[str, ...]:
    scores = (
        f"{name}{f' x{weight}' * (weight != 1)} {'none' if score is None else score}"
        for name, weight, score in cluster.scores
    )
    near = "near miss: " if cluster.is_near else ""
    return (
        cluster.name,
        cluster.verdict,
        "-" if cluster.rank is None else str(cluster.rank),
        "-" if cluster.total is None else str(cluster.total),
        ", ".join(scores) or "-",
        f"{near}{cluster.reason}" or "-",
    )


def _object_lines(explanation: values.ObjectExplanation, *, color: bool) -> Iterator[str]:
    yield f"{paint(str(explanation.ref), Style.BOLD, color=color)} ({explanation.origin})"
    for chain in explanation.chains:
        for number, step in enumerate(chain):
            verb = "ships with" if number == 0 else "which ships with"
            yield f"  {'  ' * number}{verb} {step.ref} by {step.field} ({step.origin})"
    destinations = explanation.destinations
    for destination in destinations[:_DESTINATIONS]:
        yield ""
        yield from _destination_lines(destination, color=color)
    # An object with another name on each spoke would fill pages.
    if more := [spoke for item in destinations[_DESTINATIONS:] for spoke in item.spokes]:
        yield ""
        yield f"And as other objects {on_spokes(more)}; --spoke explains one"
    for left in explanation.not_shipped:
        yield ""
        yield paint(f"Not {on_spokes(left.spokes)}", Style.BOLD, color=color)
        yield f"  {left.reason}"
        yield from (f"  {_placing(placing)}" for placing in left.placings)
        yield from _near_miss_lines(left, "ship")
    for item in explanation.unattached:
        yield ""
        yield paint(f"Without requests {on_spokes(item.spokes)}", Style.BOLD, color=color)
        whose = "" if item.route == explanation.ref else "its route "
        reason = f" ({item.reason})" if item.reason else ""
        yield f"  {whose}{item.route} does not attach because {item.message}{reason}"
        yield from _near_miss_lines(item, "attach")
    for closed in explanation.unpermitted:
        yield ""
        yield paint(f"Not permitted {on_spokes(closed.spokes)}", Style.BOLD, color=color)
        place = closed.referent.namespace
        yield f"  {closed.referrer} may not name {closed.referent} in {closed.field}, since no"
        yield f"  ReferenceGrant in {place} lets it"
        yield from _near_miss_lines(closed, "be permitted")


def _near_miss_lines(
    left: values.NotShipped | Unattached | Unpermitted, verb: str
) -> Iterator[str]:
    """Yield the near misses (edits with which a spoke would `verb`), and options to try them."""
    for miss in left.near_misses:
        new_objects = [edit.value for edit in miss.edits if not edit.path]
        colon = ":" if new_objects else ""
        yield f"  would {verb} on {left.spokes[0]} if {miss.words}{colon}"
        for new in new_objects:
            yield from (f"      {line}" for line in value_lines(new))
        for setting in miss.settings:
            yield f"    try --set {shlex.quote(on_one_line(setting))}"


def _destination_lines(destination: values.Destination, *, color: bool) -> Iterator[str]:
    where = on_spokes(destination.spokes)
    yield paint(f"{where[0].upper()}{where[1:]}", Style.BOLD, color=color)
    yield f"  as {destination.ref}, in {destination.path}"
    yield from (f"  because {_placing(placing)}" for placing in destination.placings)
    if not destination.fields:
        yield "  every field is as on the hub"
        return
    yield "  fields that differ from the hub:"
    changes_by_path = grouped((change.traced.path, change) for change in destination.fields)
    for changes in changes_by_path.values():
        yield from _field_lines(changes, destination.spokes, color=color)


def _field_lines(
    changes: list[values.FieldChange], spokes: tuple[str, ...], *, color: bool
) -> Iterator[str]:
    for change in changes[:_FIELD_VALUES]:
        traced = change.traced
        text, more = change_lines(traced.old, traced.new, color=color)
        where = "" if change.spokes == spokes else f" {on_spokes(change.spokes)}"
        source = paint(f"  ({source_text(traced.source)})", Style.FAINT, color=color)
        yield f"    {shown(traced.path)}: {text}{where}{source}"
        yield from (f"        {line}" for line in more)
    if len(changes) > _FIELD_VALUES:
        yield f"    {shown(changes[0].traced.path)}: {len(changes) - _FIELD_VALUES:,} more values"


def _placing(placing: values.Placing) -> str:
    hub, ref = placing.hub, placing.ref
    where = f" where Placement {placing.placement} decides" if placing.placement else ""
    if placing.mode == "existing":
        return f"{placing.rule} maps the hub's {hub} to the spoke's own {ref.full_name}{where}"
    name = f" as {ref.full_name}" if ref != hub else ""
    return f"{placing.rule} places {hub}{name}{where}"


def _spoke_lines(explanation: values.SpokeExplanation, *, color: bool) -> Iterator[str]:
    name = paint(explanation.spoke, Style.BOLD, color=color)
    yield f"{name} ({explanation.origin}) gets {count(len(explanation.objects), 'object')}"
    yield from (f"  {_placing(placing)}" for placing in explanation.placings)
    if explanation.objects:
        yield ""
        yield paint("Rendered", Style.BOLD, color=color)
    for item in explanation.objects:
        was = "" if item.hub == item.ref else f", on the hub {item.hub.full_name}"
        yield f"  {item.ref}, in {item.path}{was}"
    yield ""
    yield from _requirement_lines(explanation.requirements, color=color)


def _requirement_lines(requirements: values.Requirements, *, color: bool) -> Iterator[str]:
    if not (requirements.namespaces or requirements.gateways or requirements.objects):
        yield "It needs nothing else."
        return
    yield paint("Also needed", Style.BOLD, color=color)
    yield from (f"  Namespace {name}" for name in requirements.namespaces)
    for gateway in requirements.gateways:
        listeners = [f"listeners {', '.join(gateway.listeners)}"] if gateway.listeners else []
        labels = [f"!{k}" if text is None else f"{k}={text}" for k, text in gateway.labels.items()]
        parts = " and ".join((*listeners, *([f"labels {', '.join(labels)}"] if labels else ())))
        yield f"  {gateway.ref}{' with ' * bool(parts)}{parts}{_needed_by(gateway.needed_by)}"
    for required in requirements.objects:
        yield f"  {required}{_needed_by(required.needed_by)}"


def _needed_by(refs: Sequence[Ref]) -> str:
    return f": for {listed([str(ref) for ref in refs], 3)}" if refs else ""


def _fleet_lines(summary: values.FleetSummary) -> Iterator[str]:
    yield f"{count(len(summary.spokes), 'spoke')}, {count(summary.hub_objects, 'hub object')}"
    head = ("SPOKE", "GATEWAYS", "OBJECTS", "OVERRIDDEN")
    rows = [
        (spoke.spoke, f"{spoke.gateways}", f"{spoke.objects}", f"{spoke.overridden}")
        for spoke in summary.spokes
    ]
    # Right-aligned numbers, unlike the cells of `columns`.
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    for name, *numbers in (head, *rows) if rows else ():
        cells = [number.rjust(width) for number, width in zip(numbers, widths[1:], strict=True)]
        yield "  ".join([name.ljust(widths[0]), *cells])
    if summary.not_shipped:
        yield ""
        yield "On no spoke"
    yield from (f"  {item.ref}: {item.reason}" for item in summary.not_shipped)
