"""Print the waves of a rollout."""

from spokerender.findings.phrasing import count, joined, listed
from spokerender.model.rollout import RolloutState
from spokerender.report.reports import Look, RolloutReport
from spokerender.report.terminal import columns

_HEADER = ("WAVE", "STATE", "SPOKES", "")
_NAMED = 8


def rollout_table(report: RolloutReport, _: Look) -> str:
    """Print a row for each wave, and how to go on."""
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
        lines += ["", f"spokerender build --wave next goes on with {state.waiting[0].name}"]
    return "".join(f"{line}\n" for line in lines)


def waiting_text(state: RolloutState) -> str:
    """Return lines about the waves that wait; empty where none does."""
    if not state.waiting:
        return ""
    done = joined(wave.name for wave in state.waves[: state.done])
    waiting = joined(wave.name for wave in state.waiting)
    spokes = count(sum(len(wave.spokes) for wave in state.waiting), "spoke")
    verb = "waits" if len(state.waiting) == 1 else "wait"
    return (
        f"waves: {done} done; {waiting} {verb}, {spokes}\n  spokerender build --wave next goes on\n"
    )
