"""Metapolicies: SR28xx."""

from __future__ import annotations

from render.findings.results import ERROR, WARNING, FindingKind

BAD_EXPRESSION = FindingKind(
    "SR2801",
    ERROR,
    "an expression or a template of a definition is wrong",
    "Correct it: what it says is checked before anything runs. The README of "
    "examples/metapolicies has the names and functions that there are.",
)
FAILED = FindingKind(
    "SR2802",
    ERROR,
    "a metapolicy's function fails",
    "Correct the metapolicy or its definition; ask has() for what need not be there.",
)
BAD_DEFINITION = FindingKind(
    "SR2803",
    ERROR,
    "a definition contradicts another one, or itself",
    "Let one definition be of a kind, and give each a name of its own.",
)
CYCLE = FindingKind(
    "SR2804",
    ERROR,
    "definitions wait for each other",
    "Say with spec.after which of them goes first, or let one of them read less.",
)
NOT_DECLARED = FindingKind(
    "SR2805",
    ERROR,
    "a metapolicy writes a kind that its definition does not declare",
    "Add the kind to spec.writes of the definition, or let the function leave it alone.",
)
MADE_TWICE = FindingKind(
    "SR2806",
    ERROR,
    "a metapolicy makes an object that is there already",
    "Rename or remove one of the two: of one name there can be one object.",
)
WRITTEN_TWICE = FindingKind(
    "SR2807",
    ERROR,
    "two metapolicies write different values into one field",
    "Let them agree, or let one of them leave the field alone.",
)
NOT_MADE = FindingKind(
    "SR2808",
    ERROR,
    "what a metapolicy makes is no object that can ship",
    "Give it apiVersion, kind and metadata.name, and names that Kubernetes takes.",
)
NOT_CHANGED = FindingKind(
    "SR2809",
    ERROR,
    "what a metapolicy changes is not rendered, or can't be changed so",
    "Change what is in the hub; what a spoke has of its own can't be changed from here.",
)
CHECKED = FindingKind(
    "SR2810",
    ERROR,
    "a check of a metapolicy's definition fails",
    "Do what the definition's author says; `spokerender metapolicies` tells which file has it.",
)
UNKNOWN_VERSION = FindingKind(
    "SR2811",
    ERROR,
    "a version of Kuadrant's operator that is not known",
    "Name one that is known: what its extensions make differs from version to version.",
)
FIRST_OF_SEVERAL = FindingKind(
    "SR2812",
    WARNING,
    "a definition takes the first of several gateways",
    "Let the metapolicy's target be on one gateway, or let the definition say which it means.",
)
