"""The causes of consequences: the changed lines without which a consequence does not occur.

A cause is a hunk of the project's files. Hunks are reverted and the fleet is rendered again, for
one spoke of each consequence; hunks near its objects come first, and the number of trials is
limited.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property, reduce
from operator import getitem
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from spokerender.model import Origin, Ref, Spoke, grouped
from spokerender.model.memo import memoised
from spokerender.rendering.values.rendered import Rendered
from spokerender.review.comparison.states import FleetState
from spokerender.review.meaning.consequences import compare_states
from spokerender.review.meaning.hunks import (
    Hunk,
    Lines,
    list_hunks,
    list_parents,
    read_lines,
    take_back,
)
from spokerender.review.values import Consequence

_MOST_TRIALS, _MOST_SPOKES, _MOST_OWN, _FAR = 32, 6, 3, 4
_MOST_WORK = 1_000
"""The number of objects and spokes, at most, that all trials of a review read."""
_Part = tuple[str, ...]
"""A part of a consequence: its code, a spoke, a path and a policy."""
_Files = Mapping[str, bytes]


class SourceChange(Struct, frozen=True, eq=False):
    """The files of a project before and after a change, and the names of files in messages.

    `render` returns the later state of the given spokes with other contents of some files; None if
    it can't be rendered.
    """

    files: tuple[_Files, _Files]
    shown: tuple[Callable[[str], str], Callable[[str], str]]
    render: Callable[[_Files, Collection[str]], FleetState | None]


class _HunkPlace(Struct, frozen=True):
    """The first line of a hunk, and everything it is in: lines, fields, spokes and objects."""

    origin: Origin
    inside: frozenset[object]

    def find_line(self, near: Origin | None) -> Origin:
        """Return the line `near` if it is in the hunk, or else the hunk's first line."""
        if near is None or near.path != self.origin.path:
            return self.origin
        return near if (near.path, near.line) in self.inside else self.origin


def count_trials(rendered: Rendered) -> int:
    """Return how often a search for causes may revert hunks and render; 0 in a large project."""
    # Each trial renders and judges; on a large hub fewer of them are quick.
    work = len(rendered.hub.manifests) + len(rendered.decision.spokes)
    return min(_MOST_TRIALS, _MOST_WORK // (work + 1))


class CauseSearch:
    """The search for causes of consequences; each set of hunks is tried once."""

    def __init__(
        self,
        consequences: Sequence[Consequence],
        states: tuple[FleetState, FleetState],
        change: SourceChange,
    ) -> None:
        """Find the hunks between the files of two states."""
        self._states, self._change = states, change
        self._hunks = list_hunks(*change.files)
        self._trials = count_trials(states[1].rendered)
        self._left: dict[frozenset[Hunk], frozenset[_Part]] = {}
        sides = [_Side(*each) for each in zip(states, change.files, change.shown, strict=True)]
        self._places = {hunk: _find_place(hunk, sides) for hunk in self._hunks}
        self._paths = {place.origin.path for place in self._places.values()}
        self._inside = frozenset[object]().union(*(it.inside for it in self._places.values()))
        counts = Counter(name for item in consequences for name in self._list_tried(item))
        # The spokes that show most consequences, as each of them costs a part of every trial.
        self._spokes = [name for name, _ in counts.most_common(_MOST_SPOKES)]
        bundles = {**states[0].bundles, **states[1].bundles}
        self._declared = {name: bundles[name].spoke for name in self._spokes}

    def _list_tried(self, item: Consequence) -> Sequence[str]:
        """Return the spokes to try: a few with changed declarations, and one other spoke."""
        own = [name for name in item.result.spokes if name in self._inside]
        others = [name for name in item.result.spokes if name not in self._inside]
        return [*own[:_MOST_OWN], *others[:1]]

    def name_cause(self, item: Consequence) -> Consequence:
        """Return a consequence with its causing lines and the object that has these lines."""
        result = item.result
        # A consequence outside spokes may be about files that are not rendered.
        path = result.origin.path if result.origin is not None else None
        is_else = not result.spokes and path not in self._paths
        # Named already by an earlier call.
        if item.hunks is not None or is_else:
            return item
        hunks = self._find(item)
        places = [self._places[hunk] for hunk in hunks]
        lines = [place.find_line(result.origin) for place in places]
        # Only a single hunk can stand for an object.
        if len(places) == 1:
            inside = places[0].inside
            refs = sorted(ref for ref in inside if isinstance(ref, Ref))
            if refs and result.resource not in refs:
                result = replace(result, resource=refs[0])
            # A spoke that is declared on its own line has that line as a further cause.
            alike = {*result.spokes} - inside if not inside.isdisjoint(result.spokes) else {""}
            places = [it for it in self._places.values() if not it.inside.isdisjoint(alike)]
            lines += (place.origin for place in places)
        origin, *also_at = dict.fromkeys(lines) or (None,)
        result = replace(result, origin=origin)
        return replace(item, result=result, also_at=tuple(also_at), hunks=len(hunks))

    def _find(self, item: Consequence) -> Sequence[Hunk]:
        """Return the hunk, or the set of hunks, whose reversal removes a consequence."""
        ranks = self._rank(item)
        ranked = sorted(self._hunks, key=ranks.__getitem__)
        likely = [hunk for hunk in ranked if ranks[hunk] == ranks[ranked[0]]]
        tried = self._list_tried(item)
        parts = frozenset(part for part in self._list_parts(item) if part[1] in tried)
        is_tried = bool(self._trials or self._left)
        # A consequence that these spokes do not show cannot be tried on them.
        if len(ranked) <= 1 or not is_tried or parts.isdisjoint(self._all):
            return likely
        for hunk in ranked:
            # Far hunks are tried alone only where all of them can be.
            is_quick = len(ranked) <= self._trials or frozenset([hunk]) in self._left
            if (ranks[hunk] < _FAR or is_quick) and self._is_gone(parts, [hunk]):
                return [hunk]
        needed, left = list[Hunk](), ranked
        # No single hunk suffices: a minimal set is built from the end of the ranking.
        while not self._is_gone(parts, needed):
            if not self._trials:
                return likely
            # The shortest prefix whose reversal removes it ends with a hunk that is needed.
            # Halving: each hunk of the set takes a logarithmic number of trials.
            low, high = 0, len(left)
            while high - low > 1:
                middle = (low + high) // 2
                is_gone = self._is_gone(parts, [*needed, *left[:middle]])
                low, high = (low, middle) if is_gone else (middle, high)
            needed.append(left[high - 1])
            left = left[: high - 1]
        return [hunk for hunk in ranked if hunk in needed]

    def _rank(self, item: Consequence) -> Mapping[Hunk, int]:
        """Return the distance of each hunk from the objects of a consequence."""
        near = item.result.origin or Origin("")
        sets: tuple[set[Any], ...] = (
            {(near.path, near.line)},
            {(near.path, near.line, "field")},
            {item.result.resource},
            {*item.result.spokes},
        )
        return {
            hunk: next(
                (n for n, near in enumerate(sets) if not place.inside.isdisjoint(near)), _FAR
            )
            for hunk, place in self._places.items()
        }

    @cached_property
    def _all(self) -> frozenset[_Part]:
        """The parts (see `_list_parts`) of all consequences of the change on the tried spokes."""
        return self._compare(self._states[1].select(self._spokes))

    def _is_gone(self, parts: frozenset[_Part], hunks: Collection[Hunk]) -> bool:
        """Return whether reverting `hunks` removes all `parts`; False if that can't be tried."""
        key = frozenset(hunks)
        # All hunks taken back is the earlier state; none is the later one.
        if len(key) in {0, len(self._hunks)}:
            return bool(key)
        if key not in self._left and self._trials:
            self._trials -= 1
            files = take_back(self._change.files[1], key)
            state = self._change.render(files, self._spokes)
            # A state that can't be rendered proves nothing, so the consequence counts as present.
            self._left[key] = self._compare(state) if state is not None else self._all
        return parts.isdisjoint(self._left.get(key, self._all))

    def _compare(self, later: FleetState) -> frozenset[_Part]:
        compared = compare_states(self._states[0].select(self._spokes), later)
        return frozenset[_Part]().union(*map(self._list_parts, compared.consequences))

    def _list_parts(self, item: Consequence) -> frozenset[_Part]:
        """Return the parts of a consequence: code, spoke, path and policy, on the tried spokes."""
        paths = item.paths or (item.result.message,)
        policies = [*map(str, item.policies)] or [""]
        return frozenset(
            (item.result.code, name, _fill(path, spoke), _fill(policy, spoke))
            for name, spoke in self._declared.items()
            if name in item.result.spokes
            for path in paths
            for policy in policies
        )


class _Side:
    """The objects and spokes of one state, by the lines on which they begin."""

    def __init__(self, state: FleetState, files: _Files, shown: Callable[[str], str]) -> None:
        self._files, self._shown = files, shown
        rendered = state.rendered
        objects = ((it.origin, it.ref) for it in rendered.hub.manifests)
        self._refs = sorted((at.path, at.line, ref) for at, ref in objects)
        spokes = ((it.origin, it.name) for it in rendered.decision.spokes)
        self._spokes = grouped(((at.path, at.line), name) for at, name in spokes)

    def find(self, name: str, lines: Lines) -> _HunkPlace:
        """Return the place of the `lines` of a file, with the fields and objects around them."""
        shown, parents = self._shown(name), self._find_parents(name)
        inside: set[object] = {(shown, number) for number in lines.numbers}
        number = lines.first
        while number:
            inside.update(self._spokes.get((shown, number), ()))
            # Up the indentation: a line is in its field, the field in its object.
            number = parents[number - 1]
            inside.add((shown, number, "field"))
        # The last object that begins at or above the line.
        above = self._refs[: bisect_right(self._refs, (shown, lines.first + 1))][-1:]
        inside.update(ref for path, _, ref in above if path == shown)
        return _HunkPlace(Origin(shown, line=lines.first), frozenset(inside))

    @memoised
    def _find_parents(self, name: str) -> Sequence[int]:
        return list_parents(read_lines(self._files, name))


def _find_place(hunk: Hunk, sides: Sequence[_Side]) -> _HunkPlace:
    """Return the place of a hunk; its first line is in the new file, if it has lines there."""
    lines = zip(sides, (hunk.old, hunk.new), strict=True)
    places = [side.find(hunk.path, own) for side, own in lines if own.first]
    return _HunkPlace(places[-1].origin, places[0].inside | places[-1].inside)


def _fill(text: str, spoke: Spoke) -> str:
    """Return a text with the spoke's own values instead of placeholders."""

    def read(match: re.Match[str]) -> str:
        _, *steps = match[1].split(".")
        return str(reduce(getitem, steps, spoke.context))

    return re.sub(r"\{\{ (spoke\.[^{}]+) \}\}", read, text)
