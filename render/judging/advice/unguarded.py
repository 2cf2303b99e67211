"""A listener or route that anyone may call, in a fleet whose others say who may."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from render.findings.codes import advice as codes
from render.findings.results import Result
from render.judging.advice.context import SpokeView
from render.judging.advice.fleet import FleetView
from render.judging.advice.unseen import lost_policies
from render.judging.advice.words import some
from render.judging.effective.model import Outcome
from render.judging.effective.scopes import rule_of
from render.kinds.traits import Traits
from render.model import Ref
from render.topology import RequestPath

_REDIRECT = "RequestRedirect"

Levels = tuple[Ref, ...]
"""What policies on a path may hang on, the least specific first (`RequestPath.levels`)."""

_GATEWAY, _LISTENER, _ROUTE, _RULE = 1, -3, -2, -1
_PLACES = (_GATEWAY, _LISTENER, _ROUTE, _RULE)
"""Where in them these are, on a path down to a rule."""


def check(fleet: FleetView) -> Iterator[Result]:
    """Yield a result for each gateway, listener, route or rule without any policy of such a kind.

    Each is told once, at the highest place that is without one as a whole.
    """
    cases = [(view, spokes, _guarded(view)) for view, spokes in fleet.cases]
    kinds = sorted({kind for _, _, guarded in cases for kind in guarded.values()})
    if kinds:
        for view, spokes, guarded in cases:
            for result in _open(view, guarded, kinds):
                yield fleet.told(result, spokes)


def _guarded(view: SpokeView) -> dict[Levels, str]:
    """The paths on which a policy decides who may call, with its kind."""
    return {
        effective.path.levels: effective.kind
        for effective in view.effective
        if _decides(view.kind(effective).traits, effective.likely)
    }


def _decides(traits: Traits, outcome: Outcome) -> bool:
    """Whether something in force decides who may call; some kinds have rules on more than that."""
    return traits.guards and any(
        not traits.guarding or rule.key.partition(".")[0] in traits.guarding
        for rule in outcome.rules
    )


def _open(view: SpokeView, guarded: Mapping[Levels, str], kinds: list[str]) -> Iterator[Result]:
    doors = [path.levels for path in view.paths if not _is_no_door(view, path)]
    left = set(doors) - guarded.keys() - _unknown(view)
    for place in _PLACES:
        beneath: dict[Ref, list[Levels]] = {}
        for levels in doors if left else ():
            beneath.setdefault(levels[place], []).append(levels)
        for ref, found in sorted(beneath.items()):
            if not guarded.keys() & set(found) and left & set(found):
                left -= set(found)
                yield _told(view, ref, {levels[_ROUTE] for levels in found}, kinds)


def _unknown(view: SpokeView) -> set[Levels]:
    """The paths of which nobody can tell whether a policy decides there who may call."""
    return {
        effective.path.levels
        for effective in view.effective
        if effective.likely.unknown and view.kind(effective).traits.guards
    }


def _is_no_door(view: SpokeView, path: RequestPath) -> bool:
    """Whether requests get nowhere here, or it is told already why no policy is in force."""
    return _redirects(view, path) or bool(lost_policies(view, path))


def _redirects(view: SpokeView, path: RequestPath) -> bool:
    """Whether a rule answers with a redirect itself (Gateway API, `HTTPRequestRedirectFilter`)."""
    if path.route is None or path.route not in view.objects:
        return False
    filters = rule_of(view.objects[path.route].object, path.rule).get("filters")
    listed = filters if isinstance(filters, list) else []
    return any(isinstance(each, Mapping) and each.get("type") == _REDIRECT for each in listed)


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
