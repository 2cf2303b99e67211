"""What the tests of the judging commands share: CRDs, a project in which much is wrong, words."""

import json
from collections.abc import Sequence
from itertools import combinations
from typing import Any

from tests.cli.project import AUTH, FLEET, OVERRIDES, PLACEMENT

AT_CRDS = f"{FLEET}  crds: [crds/]\n"
SECOND = (
    AUTH.replace("name: closed", "name: other")
    + "  defaults: {rules: {a: 1}}\n  overrides: {rules: {b: 1}}\n"
)
"""A policy that says in two ways how it is merged."""
LONG = {"placement.yaml": (PLACEMENT + OVERRIDES).replace("realm: europe", "realm: too-long")}
"""One spoke's own value is too long for the CRD."""
INVALID = "error SR2301 AuthPolicy infra/closed"
TRUE = "clusters: up to date, 8 files\n"


def suppressing(code: str, resource: str, spoke: str = "", **more: Any) -> str:
    entry = {"code": code, "resource": resource, "reason": "known since May", **more}
    if spoke:
        entry["spoke"] = spoke
    return f"{AT_CRDS}  suppressions: {json.dumps([entry])}\n"


SIGN = {"tree": "clusters: stale", "policies": " SR2109 ", "validation": " SR2301 "}
"""What shows that an aspect was checked."""
SUBSETS = [list(some) for size in (1, 2, 3) for some in combinations(SIGN, size)]


def only(aspects: Sequence[str]) -> list[str]:
    return [word for aspect in aspects for word in ("--only", aspect)]
