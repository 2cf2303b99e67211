"""Command lines, right ones and others."""

import re
from collections.abc import Mapping
from random import Random

from spokerender.report.formats import FORMATS
from tests.fuzz import hostile

_USUAL = ("build", "build", "build", "check", "check", "check")
_OTHERS = (
    "diff", "status", "effective", "explain", "explain", "init", "spoke", "import", "crds", "fn", "metapolicies", "query"
)  # fmt: skip
IN_THE_PROJECT = ("import", "crds", "fn")
"""Commands that are not told which project; they look where they are."""
_EXPRESSIONS = (
    "size(gateways())",
    "routes().map(r, r.metadata.name)",
    'policies("AuthPolicy").map(p, p.findGateways().map(g, g.metadata.name))',
    'routes().map(r, r.findInForce("RateLimitPolicy").rules)',
    "gateways().map(g, g.findListeners().map(l, l.findHostnames()))",
    "spoke.values",
    *hostile.CEL,
)


def arguments(random: Random, names: Mapping[str, str], *, hostile_ones: int) -> list[str]:
    """A command line for the project `project`; `names` has what may be asked for."""
    command = random.choice(random.choice((_USUAL, _USUAL, _OTHERS)))
    made = [command, *_plain(command, random, names)]
    if random.random() < 0.2:
        made += ["--format", random.choice((*FORMATS, "krm"))]
    if random.random() < 0.1:
        made.append(random.choice(("-v", "--strict")))
    for _ in range(hostile_ones):
        _break_arguments(made, random)
    return made


_OPTIONS = (
    "-o", "--output", "--allow-delete", "--reason", "--format", "--strict", "-v", "--verbose", "--only", "--against", "--spoke", "--route", "--policy",
    "--help", "--version", "--", "-", "--nosuch", "-x", "",
)  # fmt: skip


def _break_arguments(made: list[str], random: Random) -> None:
    value = random.choice((*hostile.ODD_TEXTS, *hostile.NAMES)).replace("\x00", "")
    value = re.sub("[\ud800-\udfff]", "\udcff", value)  # a byte that is not UTF-8, to Python
    at = random.randrange(1, len(made) + 1)
    change = random.randrange(4)
    if change == 0 and at < len(made):
        made[at] = value
    elif change == 1:
        made.insert(at, value)
    elif change == 2:
        made += [random.choice(_OPTIONS), value]
    else:
        made[0] = random.choice(
            ("rules", "schema", "rules", "explain", "effective", "status", value)
        )


def _plain(command: str, random: Random, names: Mapping[str, str]) -> list[str]:
    """What a command is told in a usual call."""
    ref = random.choice(list(names))
    of_spoke = ["--spoke", names[ref]] if random.random() < 0.3 else []
    choices: dict[str, list[list[str]]] = {
        "build": [["project"]] * 4 + [["project", "-o", "-"]],
        "check": [["project"]] * 9 + [["project", "--against", "HEAD"]]
        + [["project", "--only", only] for only in ("tree", "policies", "validation")],
        "crds": [["add", "crds"], ["add", "crds", "-o", "crds"], ["add", "hub", "-o", "new"], ["add", "-"]],
        "effective": [["project", *of_spoke]],
        "explain": [["project", *of_spoke], ["project", ref, *of_spoke]],
        "fn": [[], [], of_spoke],
        "import": [["hub"], ["crds"], ["clusters"], ["workspaces"], ["placement"], ["-"]],
        "query": [
            [random.choice(_EXPRESSIONS), "project", *of_spoke],
            [random.choice(_EXPRESSIONS), "project", "--self", ref],
        ],
        "spoke": [["list", "project"], ["add", "new", "project"], ["rename", "east", "new", "project"], ["remove", "east", "project"]],
        "status": [["project", *of_spoke]],
    }  # fmt: skip
    return random.choice(choices.get(command, [["project"]]))
