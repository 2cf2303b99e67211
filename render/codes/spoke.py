"""A spoke's own topology: SR17xx."""

from __future__ import annotations

from render.results import ERROR, Rule

MISSING_SECTION = Rule("SR1701", ERROR, "a section name that its target does not have on the spoke")
DUPLICATE_TARGET = Rule(
    "SR1702", ERROR, "one target twice, or whole and section mixed, in one object"
)
NOT_ADMITTED = Rule("SR1703", ERROR, "a route or ListenerSet is no longer admitted by its parent")
HOSTNAME_OUTSIDE = Rule("SR1704", ERROR, "a route's hostname is left outside its listener")
NO_GRANT = Rule("SR1705", ERROR, "a reference crosses a namespace without a ReferenceGrant")
DANGLING = Rule("SR1706", ERROR, "a reference in a spoke's tree resolves to nothing")

RULES = (
    MISSING_SECTION,
    DUPLICATE_TARGET,
    NOT_ADMITTED,
    HOSTNAME_OUTSIDE,
    NO_GRANT,
    DANGLING,
)
