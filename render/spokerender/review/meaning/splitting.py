"""Rules that do with requests what others did that took them before: split or joined ones."""

from collections.abc import Mapping

from spokerender.formats.comparing import fingerprint
from spokerender.model import grouped
from spokerender.model.memo import memoised
from spokerender.review.comparison.pairs import Takeover
from spokerender.review.comparison.successors import Successors
from spokerender.review.comparison.takeovers import find_takeovers, is_same
from spokerender.review.comparison.views import SpokeView, Way
from spokerender.review.meaning.backends import read_rule
from spokerender.topology.hostnames import is_covered
from spokerender.topology.matches import are_for_all
from spokerender.topology.paths import Levels


@memoised
def find_equal_takeovers(successors: Successors) -> tuple[Takeover, ...]:
    """Return the takeovers by rules that do the same with the requests, and let in nobody more.

    A rule of another route counts if the earlier one is not for these requests any more. Policies
    are not compared, but for whether any guards the rule.
    """
    lasting = {old.levels for old, new in successors.pairs if is_same(old, new)}
    name = successors.name
    return tuple(
        item
        for item in find_takeovers(successors)
        if item.old.levels not in lasting or name(item.old.levels[-2]) == item.new.levels[-2]
        if _does_the_same(successors, item)
    )


def is_taken_alike(successors: Successors, way: Way, name: str) -> bool:
    """Tell whether other rules do the same with all of a rule's requests under a hostname."""
    takers = _group_takers(successors).get(way.levels, ())
    return are_for_all((one.match for one in takers if is_covered(name, one.hostnames)), way.match)


@memoised
def _group_takers(successors: Successors) -> Mapping[Levels, list[Way]]:
    return grouped((item.old.levels, item.new) for item in find_equal_takeovers(successors))


def compare_matches(successors: Successors, old: Way, new: Way) -> str:
    """Say whether a rule is for more, fewer or other requests than before; empty if for none.

    Those of an equal rule that takes over, or has gone, are no others.
    """
    is_wider, is_narrower = (
        are_for_all([one.match], other.match) for one, other in ((new, old), (old, new))
    )
    if is_wider and is_narrower:
        return ""
    equal = find_equal_takeovers(successors)
    takers = [item.new for item in equal if item.old.levels == old.levels]
    former = [item.old for item in equal if item.new.levels == new.levels]
    if all(
        are_for_all([one.match for one in (own, *others)], other.match)
        and all(is_covered(name, one.hostnames) for one in others for name in other.hostnames)
        for own, others, other in ((new, takers, old), (old, former, new))
    ):
        return ""
    return "more" if is_wider else "fewer" if is_narrower else "other"


def _does_the_same(successors: Successors, item: Takeover) -> bool:
    old, new = successors.old, successors.new
    route, other = item.old.levels[-2], item.new.levels[-2]
    name = successors.name(route)
    if (name.group, name.kind, name.namespace) != (other.group, other.kind, other.namespace):
        return False
    if old.is_guarded(item.old) and not new.is_guarded(item.new):
        return False
    if _is_refused(old, item.old) is not _is_refused(new, item.new):
        return False
    before = read_rule(old, item.old, successors.new_names(route))
    return fingerprint(before) == fingerprint(read_rule(new, item.new, {}))


def _is_refused(view: SpokeView, way: Way) -> bool:
    """Tell whether a broken policy has the requests of a rule refused."""
    in_force = (item for kind in view.in_force for _, item in view.below(kind, way))
    return any(item.likely.failing for item in in_force)
