"""The conditions of routes, listeners and ListenerSets."""
