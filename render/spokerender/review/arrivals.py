"""The effect of objects that are new on a spoke: hosts, paths, gateways, and who may call."""

from collections.abc import Iterable, Mapping
from typing import Any

from spokerender.findings.phrasing import listed
from spokerender.judging.fleet.judged import JudgedFleet
from spokerender.kinds.catalogue import Catalogue
from spokerender.model import GATEWAY_API, Ref, grouped
from spokerender.model.shapes import as_mapping, as_mappings
from spokerender.review.comparison.views import SharedViews, SpokeView, Way

_SHOWN = 4


class Arrivals:
    """A judged spoke that is asked about objects that are new on it."""

    def __init__(self, fleet: JudgedFleet, catalogue: Catalogue, spoke: str) -> None:
        """Look at a spoke once, for all questions about it."""
        judged, shared = fleet.judged[spoke], SharedViews(catalogue)
        view = SpokeView(shared, fleet.bundles[spoke], judged.judgement, judged.variants)
        self._view = view
        attachments = judged.judgement.attachments.items()
        self._targets = {view.fill(ref): view.fill(item.targets) for ref, item in attachments}
        self._ways = grouped((way.levels[-2], way) for way in view.rules.values())

    def describe(self, ref: Ref) -> str:
        """Return what an object does on the spoke; empty where nothing is known of its kind."""
        spec = as_mapping(self._view.object_of(ref).get("spec"))
        if ref in self._targets:
            return _on(self._targets[ref])
        if (ref.group, ref.kind) == (GATEWAY_API, "Gateway"):
            listeners = as_mappings(spec.get("listeners"))
            doors = (
                f"{it.get('protocol')} {it.get('hostname') or 'all hostnames'}:{it.get('port')}"
                for it in listeners
            )
            return listed(doors, _SHOWN)
        ways = self._ways.get(ref, ())
        if not ways:
            return ""
        hosts = dict.fromkeys(name for way in ways for name in way.hostnames if name != "*")
        place = f"{listed(hosts, _SHOWN) or 'all hostnames'} {_find_paths(spec)}"
        gateways = _on(dict.fromkeys(way.levels[0] for way in ways))
        return f"{place.strip()} {gateways}; {self._say_who(ways)}"

    def _say_who(self, ways: list[Way]) -> str:
        open_ways = [way for way in ways if not self._view.is_guarded(way)]
        if not open_ways:
            return "a policy decides who may call"
        rules = sorted({way.path.rule for way in open_ways})
        where = "" if len(open_ways) == len(ways) else f" {listed(rules, _SHOWN)}"
        return f"open: no policy decides who may call{where}"


def _on(refs: Iterable[Ref]) -> str:
    names = listed(refs, _SHOWN)
    return f"on {names}" if names else ""


def _find_paths(spec: Mapping[str, Any]) -> str:
    """Return the paths that the rules of an HTTPRoute match."""
    values = (
        as_mapping(match.get("path")).get("value")
        for rule in as_mappings(spec.get("rules"))
        for match in as_mappings(rule.get("matches"))
    )
    return listed(dict.fromkeys(str(value) for value in values if value), _SHOWN)
