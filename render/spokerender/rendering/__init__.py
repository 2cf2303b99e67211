"""Renders a hub and a placement into every spoke's tree."""
