"""Review of a change: its differences, what they mean, and the losses that the guard refuses."""
