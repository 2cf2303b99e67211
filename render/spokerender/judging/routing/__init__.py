"""The conditions of routes, listeners and ListenerSets, as their controllers would write them."""
