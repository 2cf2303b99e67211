"""Placement: SR14xx."""

from __future__ import annotations

from spokerender.findings.results import ERROR, INFO, WARNING, FindingKind

NO_GATEWAY = FindingKind(
    "SR1401",
    ERROR,
    "a placement rule names a Gateway that is not in the hub",
    "Correct the rule's namespace/name or its selector, add the Gateway to the hub, or set "
    "optional: true.",
)
NO_SPOKE = FindingKind(
    "SR1402",
    ERROR,
    "a rule or override names a spoke that is not declared",
    "Declare the spoke under spec.spokes, correct its name, or set optional: true.",
)
EMPTY_SELECTION = FindingKind(
    "SR1403",
    WARNING,
    "a spoke selector selects nobody today",
    "Correct the selector or the spokes' labels, or set optional: true if nobody may have them "
    "yet.",
)
UNPLACED_GATEWAY = FindingKind(
    "SR1404",
    WARNING,
    "a Gateway is placed on no spoke",
    "Name the Gateway in a rule of the placement, or take it out of the hub.",
)
PLACED_TWICE = FindingKind(
    "SR1405",
    ERROR,
    "two rules place one Gateway on the same spoke",
    "Make the spokes of the two rules disjoint, or remove one rule.",
)
BAD_TEMPLATE = FindingKind(
    "SR1406",
    ERROR,
    "an expression can't be evaluated",
    "Correct the expression, or give the spoke the label or value that it uses.",
)
BAD_VALUE = FindingKind(
    "SR1407",
    ERROR,
    "a value of the placement is not valid where it is used",
    "Correct the rule, or the spoke's values that it uses: what results has to be valid in the "
    "field.",
)
EMPTY_SPOKE = FindingKind(
    "SR1408",
    INFO,
    "a spoke gets nothing",
    "Name the spoke in a rule, or take it out of the placement.",
)
UNUSED_HOSTNAME = FindingKind(
    "SR1409",
    WARNING,
    "a key of a rule's hostnames maps nothing",
    "Correct the key: it has to be a hostname that the gateway's listeners or routes have on the "
    "hub, or a wildcard over one that no longer key is for. Or take it out.",
)
TOO_MANY_EXPRESSIONS = FindingKind(
    "SR1410",
    ERROR,
    "more expressions for spokes than a fleet may have",
    "Write what is the same for all spokes without an expression, or split the placement into "
    "several projects.",
)
TOO_MUCH_PLACED = FindingKind(
    "SR1411",
    ERROR,
    "rules place gateways on spokes more often than a fleet may",
    "Place each gateway on a spoke by one rule; or split the placement into several projects.",
)
