"""The waves of a rollout as text."""

from collections.abc import Iterator, Sequence

from spokerender.findings.phrasing import listed
from spokerender.model import grouped
from spokerender.model.rollout import PROGRESSING, TO_APPLY, Release, RolloutStatus
from spokerender.model.times import write_duration
from spokerender.rendering.rollout.record import how_to_continue
from spokerender.report.reports import Look, RolloutReport
from spokerender.report.terminal import columns

_HEADER = ("WAVE", "STATE", "SPOKES", "")
_NAMED = 8


def rollout_table(report: RolloutReport, _: Look) -> str:
    """Return a row for each wave, and the next step."""
    state = report.rollout
    rows = [
        (
            wave.name,
            "done" if number < state.done else "waits",
            f"{len(wave.spokes):,}",
            listed(wave.spokes, _NAMED),
        )
        for number, wave in enumerate(state.waves)
    ]
    lines = columns([_HEADER, *rows])
    if state.waiting:
        lines += ["", how_to_continue(state)]
    if report.release is not None:
        lines += ["", *_release_lines(report.statuses, report.release)]
    return "".join(f"{line}\n" for line in lines)


def _release_lines(statuses: Sequence[RolloutStatus], answer: Release) -> Iterator[str]:
    """Yield the spokes by status, then the spokes to release next, or the reason to wait."""
    by_status = grouped((status.status, status.cluster) for status in statuses)
    # By name of the status, so that equal states print equal texts.
    for name, spokes in sorted(by_status.items()):
        yield f"{name}: {listed(spokes, _NAMED)}"
    new = [item.cluster for item in answer.rollout if item.status == TO_APPLY]
    under_way = [item.cluster for item in answer.rollout if item.status != TO_APPLY]
    if new:
        yield f"next: {listed(new, _NAMED)}"
    elif answer.is_breached:
        yield "next: none, more spokes failed than may"
    elif under_way:
        after = answer.recheck_after
        until = f", at least for {write_duration(after)}" if after is not None else ""
        yield f"next: none before these are done: {listed(under_way, _NAMED)}{until}"
        if PROGRESSING in by_status:
            yield "  spokerender status --from shows what their exports do not report yet"
    else:
        yield "next: none, all spokes are done"
    if answer.timed_out:
        yield f"over: {listed((item.cluster for item in answer.timed_out), _NAMED)}"
