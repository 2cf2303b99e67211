"""Checks of the hub and of the fleet as a whole; those of one spoke are in `rendering.checks`."""
