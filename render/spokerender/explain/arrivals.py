"""Describe what a new object does on a spoke: hosts, paths, gateways, and who may call."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from spokerender.explain.in_force import find_hostnames
from spokerender.findings.phrasing import listed
from spokerender.judging.effective.guarding import guards
from spokerender.judging.fleet.judged import JudgedBlueprint, JudgedFleet
from spokerender.kinds.catalogue import Catalogue
from spokerender.model import GATEWAY_API, Ref
from spokerender.model.shapes import as_mapping, as_mappings
from spokerender.rendering.values.bundles import Bundle
from spokerender.topology.paths import RequestPath
from spokerender.topology.requests import find_rule_paths

_SHOWN = 4


class Arrivals(Struct, frozen=True, eq=False):
    """A judged spoke that is asked about objects that are new on it.

    `own` has the refs of its objects as its blueprint has them, `paths` the ways to each route, and
    `guarded` the levels of those on which a policy decides who may call.
    """

    judged: JudgedBlueprint
    bundle: Bundle
    own: Mapping[Ref, Ref]
    paths: Mapping[Ref, Sequence[RequestPath]]
    guarded: frozenset[tuple[Ref, ...]]

    def describe(self, ref: Ref) -> str:
        """Return what an object does on the spoke; empty where nothing is known of its kind."""
        own, bundle = self.own.get(ref), self.bundle
        if own is None:
            return ""
        spec = as_mapping(bundle.object_of(self.judged.variants[own]).get("spec"))
        attachment = self.judged.judgement.attachments.get(own)
        if attachment is not None:
            return _on([bundle.ref(target) for target in attachment.targets])
        if (ref.group, ref.kind) == (GATEWAY_API, "Gateway"):
            return listed([*_listeners(spec)], _SHOWN)
        paths = self.paths.get(own, ())
        if not paths:
            return ""
        names = (name for path in paths for name in find_hostnames(self.judged, path))
        hosts = dict.fromkeys(map(bundle.text, names))
        gateways = dict.fromkeys(bundle.ref(path.gateway) for path in paths)
        open_rules = [path.rule for path in paths if path.levels not in self.guarded]
        place = f"{listed(list(hosts), _SHOWN) or 'every hostname'} {_find_paths(spec)}"
        return f"{place.strip()} {_on(list(gateways))}; {_say_open(open_rules, len(paths))}"


def read_arrivals(fleet: JudgedFleet, catalogue: Catalogue, spoke: str) -> Arrivals:
    """Look at a spoke of a judged fleet once, for all questions about it."""
    judged, bundle = fleet.judged[spoke], fleet.bundles[spoke]
    paths: dict[Ref, list[RequestPath]] = {}
    for path in find_rule_paths(judged.judgement.topology):
        if path.route is not None:
            paths.setdefault(path.route, []).append(path)
    guarded = set()
    for item in judged.judgement.effective:
        kind = catalogue.kind(item.group, item.kind)
        if kind.traits.guards and (item.likely.unknown or guards(kind, item.likely)):
            guarded.add(item.path.levels)
    own = {bundle.ref(ref): ref for ref in judged.variants}
    return Arrivals(judged, bundle, own, paths, frozenset(guarded))


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
