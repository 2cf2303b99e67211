"""Random expressions over a ManagedCluster, of types that fit, and a cluster to ask of."""

import re
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from tests.live.placements import obj
from tests.support import rows_of

Json = dict[str, Any]
DEEPEST = 4


def world() -> list[Json]:
    """A cluster with something of each sort, and its scores."""
    metadata = {
        "labels": {"env": "prod", "n": "10", "v": "1.30.0", "": "x", "a/b": "c"},
        "annotations": {"note": "a, b", "json": '{"a": [1, 2.5, {"b": null}], "ip": "10.0.0.1"}'},
    }
    taints = [
        {"key": "gpu", "value": "a", "effect": "NoSelect", "timeAdded": "2026-01-02T03:04:05Z"},
        {"key": "team", "effect": "PreferNoSelect"},
    ]
    status = {
        "allocatable": {"cpu": "1e1", "memory": "0.5Gi", "gpu": "1500m"},
        "capacity": {"cpu": "16", "memory": "1Gi"},
        "clusterClaims": [
            {"name": "version", "value": "v1.30.2"},
            {"name": "cidr", "value": "10.0.0.0/8"},
            {"name": "url", "value": "https://u:p@api.example.com:6443/a%20b?x=1&x=2&y=#f"},
            {"name": "odd", "value": " Grüße\t"},
        ],
        "version": {"kubernetes": "v1.30.2"},
        "conditions": [
            {
                "type": "ManagedClusterJoined",
                "status": "True",
                "reason": "Joined",
                "message": "",
                "lastTransitionTime": "2026-01-02T03:04:05Z",
            }
        ],
    }
    spec = {"hubAcceptsClient": True, "taints": taints, "leaseDurationSeconds": 60}
    scores = [{"name": "cpu", "value": 3}, {"name": "memory", "value": -4}]
    return [
        obj("ManagedCluster", "c1", metadata=metadata, spec=spec, status=status),
        obj("AddOnPlacementScore", "load", "c1", status={"scores": scores}),
        obj("AddOnPlacementScore", "none", "c1", status={"scores": []}),
    ]


def expression(random: Random) -> str:
    """An expression, mostly one that comes to a boolean."""
    return _Writer(random).write("bool" if random.randrange(20) else "any", 0)


class _Writer:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.names: list[tuple[str, str]] = []

    def write(self, kind: str, depth: int) -> str:
        random = self.random
        if kind == "any":
            kind = random.choice(ANY)
        named = [name for name, of in self.names if of in {kind, "dyn"}]
        if named and random.randrange(2):
            return random.choice(named)
        forms = FORMS.get(kind, ())
        if depth >= DEEPEST or not forms or not random.randrange(4):
            return random.choice(LEAVES[kind])
        return self.fill(random.choice(forms), depth)

    def fill(self, form: str, depth: int) -> str:
        """Put something in place of each `<type>`; one as `<type:item>` is about a named item."""

        def written(match: re.Match[str]) -> str:
            kind, item = match.groups()
            if not item:
                return self.write(kind, depth + 1)
            name = f"x{len(self.names)}"
            self.names.append((name, item))
            body = self.write(kind, depth + 1)
            self.names.pop()
            return f"{name}, {body}"

        return re.sub(r"<(\w+)(?::(\w+))?>", written, form)


LEAVES: Mapping[str, Sequence[str]] = rows_of(__file__, "leaves")
ANY = tuple(kind for kind in LEAVES if kind != "type")
FORMS: Mapping[str, Sequence[str]] = rows_of(__file__, "forms")
