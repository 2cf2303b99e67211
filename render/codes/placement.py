"""Placement: SR14xx."""

from __future__ import annotations

from render.results import ERROR, INFO, WARNING, Rule

NO_GATEWAY = Rule("SR1401", ERROR, "a placement rule names a Gateway that is not in the hub")
NO_SPOKE = Rule("SR1402", ERROR, "a rule or override names a spoke that is not declared")
EMPTY_SELECTION = Rule("SR1403", WARNING, "a spoke selector selects nobody today")
UNPLACED_GATEWAY = Rule("SR1404", WARNING, "a Gateway is placed on no spoke")
PLACED_TWICE = Rule("SR1405", ERROR, "two rules place one Gateway on the same spoke")
BAD_TEMPLATE = Rule("SR1406", ERROR, "an expression can't be evaluated")
BAD_VALUE = Rule("SR1407", ERROR, "a value of the placement is not valid where it is used")
EMPTY_SPOKE = Rule("SR1408", INFO, "a spoke gets nothing")

RULES = (
    NO_GATEWAY,
    NO_SPOKE,
    EMPTY_SELECTION,
    UNPLACED_GATEWAY,
    PLACED_TWICE,
    BAD_TEMPLATE,
    BAD_VALUE,
    EMPTY_SPOKE,
)
