"""The door to programs of a project: started with limits, and none outlives us."""

from __future__ import annotations

from spokerender.edge.processes.running import Ended, run
from spokerender.edge.processes.starting import Command, Kept, Limits, ProcessError, find_program

__all__ = ["Command", "Ended", "Kept", "Limits", "ProcessError", "find_program", "run"]
