"""The door to programs of a project: started with limits, and none outlives us."""

from __future__ import annotations

from spokerender.edge.processes.running import (
    Command,
    Ended,
    Kept,
    Limits,
    ProcessError,
    find_program,
    run,
)

__all__ = ["Command", "Ended", "Kept", "Limits", "ProcessError", "find_program", "run"]
