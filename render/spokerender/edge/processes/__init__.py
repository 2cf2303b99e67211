"""The only door to programs of a project: they run with limits, and none outlives us."""

from __future__ import annotations

from spokerender.edge.processes.running import (
    KeptProgram,
    Limits,
    ProcessError,
    ProgramCommand,
    ProgramOutcome,
    find_program,
    run_program,
)

__all__ = [
    "KeptProgram",
    "Limits",
    "ProcessError",
    "ProgramCommand",
    "ProgramOutcome",
    "find_program",
    "run_program",
]
