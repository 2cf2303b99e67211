"""A listener or route that anyone may call, in a fleet whose others say who may."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import cache, partial

from msgspec.structs import replace

from spokerender.findings.codes import advice as codes
from spokerender.findings.results import Result
from spokerender.judging.advice.context import SpokeView
from spokerender.judging.advice.fleet import FleetView
from spokerender.judging.advice.unseen import lost_policies
from spokerender.judging.advice.words import some
from spokerender.judging.effective.guarding import Verdict, verdict
from spokerender.judging.effective.model import Outcome
from spokerender.judging.effective.scopes import rules_by_name
from spokerender.kinds import Kind
from spokerender.model import Ref
from spokerender.model.shapes import as_mappings
from spokerender.topology import RequestPath, backend_paths

_REDIRECT = "RequestRedirect"

Levels = tuple[Ref, ...]
"""What policies on a path may hang on, the least specific first (`RequestPath.levels`)."""
Kinds = Mapping[str, tuple[str, ...]]
"""The kinds by which somebody is asked in the fleet, each with the kinds of route it is for."""


def check(fleet: FleetView) -> Iterator[Result]:
    """Yield a result for each gateway, listener, route or rule without any policy of such a kind.

    Each is told once, at the highest place that is without one as a whole.
    """
    verdicts = _Verdicts()
    cases = [(view, spokes, _guarded(view, verdicts)) for view, spokes in fleet.cases]
    kinds = {kind.kind: kind.routes for _, _, guarded in cases for kind in guarded.values()}
    if kinds:
        for view, spokes, guarded in cases:
            for result in _open(view, guarded, dict(sorted(kinds.items())), verdicts):
                yield fleet.told(result, spokes)


class _Verdicts:
    """What is in force on one path and the next, and on one spoke and the next, is asked once."""

    def __init__(self) -> None:
        """Outcomes are known by their ids: the fleet that has them has to stay."""
        self._known: dict[tuple[str, tuple[int, ...]], Verdict] = {}

    def guards(self, kind: Kind, outcome: Outcome) -> bool:
        """Whether a rule in force guards."""
        return self._of(kind, outcome).guards

    def opens(self, kind: Kind, outcome: Outcome) -> bool:
        """Whether a rule in force lets somebody in on purpose, or nobody can tell."""
        return bool(outcome.unknown or outcome.failing) or self._of(kind, outcome).opens

    def _of(self, kind: Kind, outcome: Outcome) -> Verdict:
        """Outcomes of which all rules are the same ones share it."""
        own = kind.kind, (id(outcome),)
        if own not in self._known:
            shared = kind.kind, tuple(map(id, outcome.rules))
            if shared not in self._known:
                self._known[shared] = verdict(kind, outcome)
            self._known[own] = self._known[shared]
        return self._known[own]


def _guarded(view: SpokeView, verdicts: _Verdicts) -> dict[Levels, Kind]:
    """The paths to rules on which a policy decides who may call, with its kind.

    A policy on a backend decides it for a rule if every backend of the rule has one.
    """
    guarded: dict[Levels, dict[RequestPath, Kind]] = {}
    for effective in view.effective:
        kind = view.kind(effective)
        if kind.traits.guards and verdicts.guards(kind, effective.likely):
            path = _to_rule(effective.path)
            guarded.setdefault(path.levels, {})[effective.path] = kind
    backends: dict[Levels, set[Levels]] = {}
    for path in backend_paths(view.topology, view.hub_topology):
        backends.setdefault(_to_rule(path).levels, set()).add(path.levels)
    return {
        levels: next(iter(paths.values()))
        for levels, paths in guarded.items()
        if {path.levels for path in paths} >= backends.get(levels, set())
        or any(path.backend is None for path in paths)
    }


def _to_rule(path: RequestPath) -> RequestPath:
    is_whole = path.backend is None and path.port is None
    return path if is_whole else replace(path, backend=None, port=None)


def _open(
    view: SpokeView, guarded: Collection[Levels], kinds: Kinds, verdicts: _Verdicts
) -> Iterator[Result]:
    redirecting = cache(partial(_redirecting, view))
    doors = {
        path.levels: path
        for path in view.paths
        if path.route is not None
        and _can_be_guarded(path, kinds)
        and path.rule not in redirecting(path.route)
        and not lost_policies(view, path)  # of these it is told why no policy is in force
    }
    left = doors.keys() - set(guarded) - _left_alone(view, verdicts)
    for place in range(_HEIGHTS):
        beneath: dict[Ref, list[Levels]] = {}
        for levels, path in doors.items() if left else ():
            beneath.setdefault(_places(path)[place], []).append(levels)
        for ref, paths in sorted(beneath.items()):
            if not left.isdisjoint(paths) and not any(levels in guarded for levels in paths):
                left -= set(paths)
                routes = {route for each in paths if (route := doors[each].route) is not None}
                yield _told(view, ref, routes, list(kinds))


_HEIGHTS = 4


def _places(path: RequestPath) -> tuple[Ref, ...]:
    """What of a path is told of, the highest first."""
    levels = path.levels
    return path.gateway, path.section, levels[-2], levels[-1]


def _can_be_guarded(path: RequestPath, kinds: Kinds) -> bool:
    """Whether a policy that decides who may call can be for the route at all."""
    return path.route is not None and any(
        not routes or path.route.kind in routes for routes in kinds.values()
    )


def _left_alone(view: SpokeView, verdicts: _Verdicts) -> set[Levels]:
    """The paths of which nobody can tell, and those that a policy opens on purpose."""
    return {
        _to_rule(effective.path).levels
        for effective in view.effective
        if (kind := view.kind(effective)).traits.guards and verdicts.opens(kind, effective.likely)
    }


def _redirecting(view: SpokeView, route: Ref) -> frozenset[str]:
    """The rules of a route that answer by a redirect themselves (`HTTPRequestRedirectFilter`)."""
    rules = rules_by_name(view.objects[route].object) if route in view.objects else {}
    return frozenset(
        name
        for name, rule in rules.items()
        if any(each.get("type") == _REDIRECT for each in as_mappings(rule.get("filters")))
    )


def _told(view: SpokeView, ref: Ref, routes: set[Ref], kinds: list[str]) -> Result:
    others = sorted(routes - {ref.whole})
    beneath = f" ({some(others)})" if others else ""
    return view.result(
        codes.UNGUARDED,
        ref,
        f"no {' or '.join(kinds)} is in force on {ref}{beneath}, while others of the fleet have "
        "one: anyone may call it",
        "attach one to it or to what is above it; suppress this finding if it is open on purpose",
    )
