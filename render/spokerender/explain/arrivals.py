"""Describe what a new object does on a spoke: hosts, paths, gateways, and who may call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from spokerender.explain.in_force import find_hostnames
from spokerender.findings.phrasing import listed
from spokerender.judging.effective.guarding import guards
from spokerender.judging.fleet.judged import JudgedBlueprint, JudgedFleet
from spokerender.kinds.catalogue import Catalogue
from spokerender.model import GATEWAY_API, Ref
from spokerender.model.shapes import as_mapping, as_mappings
from spokerender.topology.requests import find_rule_paths

_SHOWN = 4


class Arrivals(Struct, frozen=True, eq=False):
    """A judged fleet that is asked about objects that are new in it."""

    fleet: JudgedFleet
    catalogue: Catalogue

    def describe(self, spoke: str, ref: Ref) -> str:
        """Return what an object does on a spoke; empty where nothing is known of its kind."""
        bundle, judged = self.fleet.bundles[spoke], self.fleet.judged[spoke]
        own = next((key for key in judged.variants if bundle.ref(key) == ref), None)
        if own is None:
            return ""
        spec = as_mapping(bundle.object_of(judged.variants[own]).get("spec"))
        attachment = judged.judgement.attachments.get(own)
        if attachment is not None:
            return _on([bundle.ref(target) for target in attachment.targets])
        if (ref.group, ref.kind) == (GATEWAY_API, "Gateway"):
            return listed([*_listeners(spec)], _SHOWN)
        paths = [p for p in find_rule_paths(judged.judgement.topology) if p.route == own]
        if not paths:
            return ""
        hosts = {name: None for path in paths for name in find_hostnames(judged, path, bundle)}
        gateways = dict.fromkeys(bundle.ref(path.gateway) for path in paths)
        open_rules = self._find_open(judged, own, [path.levels for path in paths])
        place = f"{listed(list(hosts), _SHOWN) or 'every hostname'} {_find_paths(spec)}"
        return f"{place.strip()} {_on(list(gateways))}; {_say_open(open_rules, len(paths))}"

    def _find_open(
        self, judged: JudgedBlueprint, route: Ref, paths: list[tuple[Ref, ...]]
    ) -> list[str]:
        """Return the rules on whose paths no policy decides who may call."""
        guarded = set()
        for item in judged.judgement.effective:
            kind = self.catalogue.kind(item.group, item.kind)
            decides = kind.traits.guards and (item.likely.unknown or guards(kind, item.likely))
            if item.path.route == route and decides:
                guarded.add(item.path.levels)
        return [levels[-1].section_name for levels in paths if levels not in guarded]


def _on(refs: list[Ref]) -> str:
    return f"on {listed(list(map(str, refs)), _SHOWN)}" if refs else ""


def _say_open(rules: list[str], total: int) -> str:
    if not rules:
        return "a policy decides who may call"
    where = "" if len(rules) == total else f" {listed(sorted(set(rules)), _SHOWN)}"
    return f"open: no policy decides who may call{where}"


def _find_paths(spec: Mapping[str, Any]) -> str:
    """Return the paths that the rules of an HTTPRoute match."""
    values = (
        as_mapping(match.get("path")).get("value")
        for rule in as_mappings(spec.get("rules"))
        for match in as_mappings(rule.get("matches"))
    )
    return listed(list(dict.fromkeys(str(value) for value in values if value)), _SHOWN)


def _listeners(spec: Mapping[str, Any]) -> Iterator[str]:
    for item in as_mappings(spec.get("listeners")):
        host = item.get("hostname") or "every hostname"
        yield f"{item.get('protocol')} {host}:{item.get('port')}"
