"""The review of a change: differences, their consequences, and losses that the guard refuses."""
