"""Review of a change: its differences, and the losses that the guard refuses."""
