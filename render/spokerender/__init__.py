"""spokerender: render a hub's Gateway API policies into one manifest tree per spoke cluster."""

__version__ = "0.1.0"
