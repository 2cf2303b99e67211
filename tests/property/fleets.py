"""Fleets for the laws: a hub, spokes, placement rules of all kinds, overrides; mostly valid."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st
from hypothesis.vendor.pretty import RepresentationPrinter
from msgspec import Struct
from msgspec.structs import replace

from tests.property import hubs
from tests.property.hubs import Draw, Object
from tests.property.texts import Style, inline, rarely, strings, styles, written
from tests.support import end_to_end as e2e

SPOKES = ("ap", "eu", "eu-2", "us")
ODD = (
    "\U00100000 \U00104e20",
    "\U0010fffe\U0010fffd\U0010ffff",
    "\ue000\uf8ff\U000f0000\ufffd",
    "\U0010ffff\n---\nkind: Secret\n",
    "*.\U00100001",
)
"""Texts of characters for private use, which stood for other values once."""


class Fleet(Struct, frozen=True):
    """A project before it is files: `texts` are the hub's documents, `placed` the file of each."""

    objects: tuple[Object, ...]
    texts: tuple[str, ...]
    placed: tuple[int, ...]
    spokes: tuple[Object, ...]
    rules: tuple[Object, ...]
    overrides: tuple[Object, ...]
    listed: tuple[tuple[str, str], ...]
    layout: str = "object"
    namespaces: str = "require"

    def __repr__(self) -> str:
        """The files, so that a failure can be tried by hand."""
        return "".join(f"\n### {path}\n{text}" for path, text in sorted(self.files.items()))

    def _repr_pretty_(self, printer: RepresentationPrinter, _cycle: bool) -> None:
        printer.text(repr(self))

    @property
    def files(self) -> dict[str, str]:
        """The project as files: the documents of a file in the order of `texts`."""
        hub: dict[str, str] = {}
        for text, number in zip(self.texts, self.placed, strict=True):
            hub[f"hub/{number}.yaml"] = hub.get(f"hub/{number}.yaml", "") + f"---\n{text}"
        parts = (self.spokes, self.rules, self.overrides)
        return {
            "fleet.yaml": e2e.fleet(*self.listed, layout=self.layout, namespaces=self.namespaces),
            "placement.yaml": e2e.placement(*(inline(part) for part in parts)),
            **hub,
        }

    def without(self, spoke: str) -> Fleet:
        """The fleet after a spoke has left, together with every mention of it."""
        return replace(
            self,
            spokes=tuple(entry for entry in self.spokes if entry["name"] != spoke),
            rules=tuple(_forget(rule, spoke) for rule in self.rules),
            overrides=tuple(_forget(override, spoke) for override in self.overrides),
        )


def _forget(entry: Object, spoke: str) -> Object:
    names = entry["spokes"].get("names")
    if names is None or spoke not in names:
        return entry
    rest = [name for name in names if name != spoke]
    nobody = {"selector": {"matchLabels": {"name": "nobody"}}}
    return entry | {"spokes": {"names": rest} if rest else nobody, "optional": True}


@st.composite
def fleets(draw: Draw) -> Fleet:
    """A fleet, mostly without faults."""
    objects = draw(hubs.hubs())
    if bare := draw(rarely):
        objects = json.loads(json.dumps(objects).replace('"infra"', '"default"'))
    least = draw(st.sampled_from([2, 2, 1]))
    spokes = [draw(spoke_entries(name)) for name in draw(_names(SPOKES, least=least))]
    chosen = [replace(draw(styles), bare=bare) for _ in objects]
    placed = draw(st.lists(st.integers(0, 2), min_size=len(objects), max_size=len(objects)))
    names = [entry["name"] for entry in spokes]
    gateways = [
        item for item in objects if item["kind"] == "Gateway" and "listeners" in item["spec"]
    ]
    rules = [rule for group in _by_name(gateways) for rule in draw(_rules_of(group, names))]
    left_out = draw(st.lists(st.sampled_from(hubs.KINDS), max_size=1))
    return Fleet(
        objects=tuple(objects),
        texts=tuple(written(item, style) for item, style in zip(objects, chosen, strict=True)),
        placed=tuple(placed),
        spokes=tuple(spokes),
        rules=tuple(rules),
        overrides=tuple(draw(st.lists(_overrides(names), max_size=2))),
        listed=_listed(objects, left_out),
        layout=draw(st.sampled_from(["object", "object", "spoke"])),
        namespaces=draw(st.sampled_from(["require", "require", "create"])),
    )


def _listed(
    objects: Sequence[Object], left_out: Sequence[tuple[str, str]]
) -> tuple[tuple[str, str], ...]:
    """The kinds to sync; one that no table has may be listed only where the hub has it."""
    here = {item["kind"] for item in objects}
    return tuple(
        (group, kind)
        for group, kind in hubs.KINDS
        if (group, kind) not in left_out and (kind in here or kind != "Widget")
    )


def arranged(fleet: Fleet, order: Sequence[int], placed: Sequence[int]) -> Fleet:
    """The same documents in another order and in other files."""
    return replace(fleet, texts=tuple(fleet.texts[index] for index in order), placed=tuple(placed))


@st.composite
def spoke_entries(draw: Draw, name: str) -> Object:
    """A spoke with labels, and with values that expressions use."""
    return {
        "name": name,
        "labels": {"tier": draw(st.sampled_from(["prod", "test"]))},
        "values": {
            "name": draw(st.sampled_from(["front", "front", "web", "api", "edge-1"])),
            "namespace": draw(st.sampled_from(["ingress", "ingress", "infra", "shop", "edge"])),
            "domain": draw(st.sampled_from(["eu.example.com", "example.net", "example.com"])),
            "weight": draw(st.integers(0, 200)),
            "text": draw(st.one_of(strings, st.sampled_from(ODD))),
            "on": draw(st.booleans()),
        },
    }


def _names(pool: Sequence[str], *, least: int) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(pool), min_size=least, unique=True).map(sorted)


def _by_name(gateways: Sequence[Object]) -> list[list[Object]]:
    names = dict.fromkeys(gateway["metadata"]["name"] for gateway in gateways)
    return [[item for item in gateways if item["metadata"]["name"] == name] for name in names]


@st.composite
def _rules_of(draw: Draw, namesakes: list[Object], spokes: list[str]) -> list[Object]:
    """Rules for each Gateway of a name, or for all of them by their label."""
    if draw(rarely):
        label = {"app": namesakes[0]["metadata"]["name"]}
        rules: list[Object] = draw(_rules(namesakes[0], spokes))
        return [rule | {"gateways": {"selector": {"matchLabels": label}}} for rule in rules]
    return [rule for gateway in namesakes for rule in draw(_rules(gateway, spokes))]


@st.composite
def _rules(draw: Draw, gateway: Object, spokes: list[str]) -> list[Object]:
    """One rule for every spoke, or two for different ones, or one for some, or none."""
    first = draw(_names(spokes, least=0))
    rest = [name for name in spokes if name not in first]
    choices: list[list[Object]] = [
        [{"all": True}],
        [{"all": True}],
        [{"names": names} for names in (first, rest) if names],
        [{"selector": {"matchLabels": {"tier": "prod"}}}],
        [
            {
                "selector": {
                    "matchExpressions": [{"key": "tier", "operator": op, "values": ["prod"]}]
                }
            }
            for op in ("In", "NotIn")
        ],
        [{"names": names} for names in (first,) if names],
    ]
    return [draw(_rule(gateway, wanted)) for wanted in draw(st.sampled_from(choices))]


@st.composite
def _rule(draw: Draw, gateway: Object, spokes: Object) -> Object:
    metadata = gateway["metadata"]
    rule: Object = {
        "gateways": {"names": [f"{metadata['namespace']}/{metadata['name']}"]},
        "spokes": spokes,
        "optional": True,
    }
    as_: Object = {}
    for key, values in _AS.items():
        if (value := draw(st.sampled_from(values))) is not None:
            as_[key] = value
    if draw(st.sampled_from([False, False, False, True])):
        as_ = {key: as_[key] for key in ("name", "namespace", "hostnames") if key in as_}
        return rule | {"mode": "existing", "as": as_ | {"listeners": gateway["spec"]["listeners"]}}
    return rule | {"as": as_}


_AS: dict[str, list[Any]] = {
    "name": [
        *(None, None, "front", "{{ spoke.values.name }}"),
        *("{{ gateway.name }}-{{ spoke.name }}", "{{ gateway.namespace }}-{{ gateway.name }}"),
    ],
    "namespace": [None, None, "ingress", "{{ spoke.values.namespace }}"],
    "gatewayClassName": [None, "istio", "{{ spoke.labels.tier }}"],
    "naming": [None, None, None, "kuadrant-mgc"],
    "hostnames": [
        None,
        {"*.example.com": "*.{{ spoke.values.domain }}"},
        {
            "*.example.com": "*.{{ spoke.values.domain }}",
            "*.int.example.com": "*.internal.{{ spoke.values.domain }}",
        },
        {
            "*.int.example.com": "*.int.{{ spoke.values.domain }}",
            "www.example.com": "www.example.net",
        },
    ],
    "labels": [None, {"region": "{{ spoke.name }}"}, {"tier": None}],
    "annotations": [None, {"note": "{{ spoke.values.text }}"}],
}


@st.composite
def _overrides(draw: Draw, spokes: list[str]) -> Object:
    kinds = st.sampled_from(
        ["AuthPolicy", "RateLimitPolicy", "HTTPRoute", "Gateway", "SecurityPolicy"]
    )
    change = st.sampled_from(
        [
            {"merge": {"spec": {"extra": {"weight": "{{ spoke.values.weight }}"}}}},
            {"merge": {"metadata": {"annotations": {"text": "{{ spoke.values.text }}"}}}},
            {"merge": {"spec": {"extra": None, "from": "{{ policy.name }} on {{ spoke.name }}"}}},
            {"patch": [{"op": "add", "path": "/spec/extra", "value": "{{ spoke.values.on }}"}]},
            {"patch": [{"op": "add", "path": "/spec/added", "value": ["{{ spoke.values.text }}"]}]},
            {"merge": {"spec": {"all": "{{ spoke.values }}"}}},
            {"patch": [{"op": "test", "path": "/spec/nothing", "value": "{{ spoke.name }}"}]},
        ]
    )
    where = st.sampled_from(
        [
            {"all": True},
            {"all": True},
            {"names": spokes[:1]},
            {"selector": {"matchLabels": {"tier": "prod"}}},
        ]
    )
    target = {"kind": draw(kinds)}
    return {"target": target, "spokes": draw(where), "optional": True, **draw(change)}


def mistaken(fleet: Fleet) -> st.SearchStrategy[Fleet]:
    """The fleet with a mistake that must be found."""
    lost = {"group": "gateway.networking.k8s.io", "kind": "Gateway", "name": "lost"}
    mistakes = [
        *fleet.objects[:2],
        hubs.made("kuadrant.io/v1/AuthPolicy", "infra", "lost", {"targetRef": lost}),
        hubs.made("kuadrant.io/v1/AuthPolicy", "infra", "Lost_", {"targetRef": lost}),
        hubs.made("kuadrant.io/v1/AuthPolicy", "infra", "odd", {"targetRef": {"name": 1}}),
    ]
    return st.builds(
        lambda item, style: replace(
            fleet,
            objects=(*fleet.objects, item),
            texts=(*fleet.texts, written(item, style)),
            placed=(*fleet.placed, 0),
        ),
        st.sampled_from(mistakes),
        styles,
    )


__all__ = ["Fleet", "Style", "arranged", "fleets", "mistaken", "spoke_entries"]
