"""Decide how differences between clusters are written: as values, by a label, or as exceptions."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from spokerender.adopting.fleets.comparing import Differences, Operations
from spokerender.adopting.fleets.gathering import AssembledObject
from spokerender.formats.comparing import ABSENT, fingerprint, is_same_json
from spokerender.formats.templating.template import is_template
from spokerender.kinds.fields import read_value
from spokerender.model import FieldPath, Ref, grouped
from spokerender.model.shapes import Json, map_children, match_words
from spokerender.model.slots import NAME, fill

_TIERS = re.compile("prod|production|stag(e|ing)?|stg|dev(el(opment)?)?|test|qa|uat|preprod|canary")
_SEPARATED = re.compile(r"[^A-Za-z0-9]+(.?)")
_FEW = 5
"""At most one of this many clusters is an exception."""
_FEWEST = 3
"""The fewest clusters among which one can be an exception, and the fewest scattered values."""


class AdoptedOverride(Struct, frozen=True, eq=False):
    """An override of the placement, with the objects that it changes."""

    refs: tuple[Ref, ...]
    spokes: Mapping[str, Any]
    operations: Operations
    is_of_kind: bool = False
    """True if `refs` are all objects of their kind; the target then has no name."""


class Departure(Struct, frozen=True, eq=False):
    """A field, or a whole object, that differs on some clusters.

    `values` has each value, or ABSENT, with its clusters, the most common value first. `label`
    selects the clusters with other values, and is empty if no label does. `is_drift` is True if
    there is no label, and these clusters are few.
    """

    ref: Ref
    path: FieldPath
    values: tuple[tuple[Json, tuple[str, ...]], ...]
    label: str = ""
    is_drift: bool = False


class Selections:
    """Selects clusters by name, or by a label whose value is a word of the clusters' names."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self.used: dict[str, None] = {}
        self.labels = {name: dict[str, str]() for name in names}
        words = {name: name.split("-") for name in names}
        for place, key in ((-1, "tier"), (0, "region")):
            tiers = [word[place] for word in words.values() if _TIERS.fullmatch(word[place])]
            is_tier = len(tiers) > len(names) / 2
            if is_tier == (key == "tier") and all(len(word) > 1 for word in words.values()):
                for name in names:
                    self.labels[name][key] = words[name][place]
        self._counts = Counter(item for own in self.labels.values() for item in own.items())

    def select(self, chosen: Collection[str], among: Collection[str]) -> dict[str, Any]:
        """Return a selection that matches the chosen clusters, and no other cluster in `among`."""
        few, rest = frozenset(chosen), frozenset(among) - frozenset(chosen)
        if not rest:
            return {"all": True}
        for key in ("tier", "region"):
            first, *others = {self.labels[name].get(key) for name in few}
            is_apart = all(self.labels[name].get(key) != first for name in rest)
            if first is not None and not others and is_apart and self._counts[key, first] > 1:
                self.used[key] = None
                return {"selector": {"matchLabels": {key: first}}}
        if len(rest) <= max(1, len(among) // _FEW) < len(few):
            return {"all": True, "except": [name for name in self.names if name in rest]}
        return {"names": [name for name in self.names if name in few]}


def _put_into(expression: str, own: dict[str, Json], values: Mapping[str, Json]) -> str | None:
    """Return a text with `expression` that renders to each cluster's value; None if there is none.

    `own` has the expression's value on each cluster; clusters that are not in `own` are added.
    """
    if all(is_same_json(own.get(cluster, value), value) for cluster, value in values.items()):
        own.update(values)
        return expression
    pairs = [(own.get(cluster), value) for cluster, value in values.items()]
    if not all(isinstance(one, str) and isinstance(value, str) for one, value in pairs):
        return None
    texts = {match_words([str(one)]).sub("\0", value) for one, value in pairs}
    text = texts.pop()
    return text.replace("\0", expression) if not texts and "\0" in text else None


def are_few(some: int, every: int) -> bool:
    """Return whether clusters are exceptions: at most a fifth, or one of at least three."""
    return some <= max(1, every // _FEW) and every >= _FEWEST


class Decider:
    """Decides how each difference is written, and which differences are reported."""

    def __init__(self, names: Sequence[str], objects: Mapping[Ref, AssembledObject]) -> None:
        self._objects = objects
        self.selections = Selections(names)
        self.values: dict[str, dict[str, Json]] = {}
        """The values of the clusters, by the name of the value and then by cluster."""
        self.places = Counter[str]()
        """The number of fields that use each value."""
        self._names: dict[str, Json] = {name: name for name in names}
        self.departures: list[Departure] = []
        self.taken_out: list[tuple[Ref, FieldPath, Json]] = []
        """Rendered fields, with their values, that no cluster has."""

    def express(self, values: Mapping[str, Json], field: str) -> str:
        """Return a template that renders to the values of a field, given by cluster.

        It has the spoke's name or an existing value if one fits, or a new one named after `field`.
        """
        for name, own in {"": self._names, **self.values}.items():
            expression = f"spoke.values.{name}" if name else "spoke.name"
            if (text := _put_into(f"{{{{ {expression} }}}}", own, values)) is not None:
                self.places[name] += 1
                return text
        plain = _SEPARATED.sub(lambda match: match[1].upper(), field)
        plain = plain if plain[:1].isalpha() else f"value{plain}"
        names = (plain, *(f"{plain}{number}" for number in range(2, 1000)))
        new = next(name for name in names if name not in self.values)
        self.values[new] = dict(values)
        self.places[new] = 1
        return f"{{{{ spoke.values.{new} }}}}"

    def list_spokes(self) -> list[dict[str, Any]]:
        """Return each cluster's entry in the placement: name, values, and labels that select it."""
        every = self.values.items()
        return [
            {
                "name": name,
                "labels": {key: self.selections.labels[name][key] for key in self.selections.used},
                "values": {key: own[name] for key, own in every if name in own},
            }
            for name in self.selections.names
        ]

    def note(self, ref: Ref, path: FieldPath, values: Mapping[str, Json]) -> None:
        """Record the values of a field on clusters for the report, if they differ."""
        names = [name for name in self.selections.names if name in values]
        alike = grouped((fingerprint(values[name]), name) for name in names)
        ranked = sorted(alike.values(), key=lambda each: -len(each))
        others = sum(map(len, ranked[1:]))
        if not others:
            return
        labels = [self.selections.select(each, names).get("selector") for each in ranked[1:]]
        texts = (f"{k}={v}" for item in labels if item for k, v in item["matchLabels"].items())
        label = ", ".join(texts) if all(labels) else ""
        shown = tuple((values[each[0]], tuple(each)) for each in ranked)
        is_drift = are_few(others, len(names)) and not label
        self.departures.append(Departure(ref, path, shown, label, is_drift))

    def decide(self, differences: Differences) -> list[AdoptedOverride]:
        """Return overrides that make rendered objects as they are on clusters, sorted by object."""
        overrides: list[AdoptedOverride] = []
        for ref, places in sorted(differences.changes.items()):
            changes = [it for path in places for it in self._decide(ref, path, differences)]
            among = {*differences.bases.get(ref, ()), *places.get((), ())}
            for names, operations in grouped(changes).items():
                every = tuple(one for each in operations for one in each)
                spokes = self.selections.select(names, among)
                overrides.append(AdoptedOverride((ref,), spokes, every))
        return list(_join_kinds(overrides, differences.bases))

    def _decide(
        self, ref: Ref, path: FieldPath, differences: Differences
    ) -> Iterator[tuple[frozenset[str], Operations]]:
        """Yield the operations on a field for each set of clusters with the same operations."""
        places, bases = differences.changes[ref], differences.bases.get(ref, {})
        changed = places[path]
        # Where all around it changes, the place is another one.
        above = (path[:length] for length in range(len(path)))
        apart = {name for place in above for name in places.get(place, ())}
        now = {
            name: read_value(data, path, ABSENT) if path else "there"
            for name, data in bases.items()
            if name not in apart
        }
        for name in changed:
            form = self._objects[ref].forms.get(name)
            now[name] = read_value(form.object, path, ABSENT) if form is not None else ABSENT
        exact = {name: fill(value, {NAME: name}) for name, value in now.items()}
        if self._is_own(now, exact):
            (operation,) = next(iter(changed.values()))
            field = next(str(step) for step in reversed(path) if isinstance(step, str))
            text = self.express(exact, field)
            yield frozenset(now), (replace(operation, value=text),)
            return
        self.note(ref, path, exact)
        if path and all(value is ABSENT for value in exact.values()):
            rendered = read_value(bases[next(iter(exact))], path)
            self.taken_out.append((ref, path, rendered))
        texts = ((_write(operations), name) for name, operations in changed.items())
        for names in grouped(texts).values():
            shared = changed[names[0]]
            every = fill(tuple(shared), {NAME: names[0]} if len(names) == 1 else {})
            escaped = tuple(replace(one, value=_escape(one.value)) for one in every)
            yield frozenset(names), escaped

    def _is_own(self, now: Mapping[str, Json], exact: Mapping[str, Json]) -> bool:
        """Return whether a scalar differs on most clusters, or contains each cluster's name."""
        distinct = Counter(map(fingerprint, exact.values()))
        (_, most), *_ = distinct.most_common(1)
        is_scattered = len(distinct) >= _FEWEST and most < len(now) * (1 - 1 / _FEW)
        is_name = len(now) > 1 and {NAME in str(value) for value in now.values()} == {True}
        is_name = is_name and len(set(map(fingerprint, now.values()))) == 1
        is_scalar = all(isinstance(value, str | int | float) for value in exact.values())
        return is_scalar and (is_scattered or is_name)


def _join_kinds(
    overrides: Sequence[AdoptedOverride], objects: Collection[Ref]
) -> Iterator[AdoptedOverride]:
    """Yield the overrides; equal overrides of all objects of a kind become one without a name."""
    every = Counter((ref.group, ref.kind) for ref in objects)
    shared = grouped(
        (
            (
                item.refs[0].group,
                item.refs[0].kind,
                fingerprint(item.spokes),
                _write(item.operations),
            ),
            item,
        )
        for item in overrides
    )
    for (group, kind, *_), alike in shared.items():
        refs = tuple(ref for item in alike for ref in item.refs)
        is_of_kind = len(refs) == every[group, kind] and (len(refs) > 1 or "all" in alike[0].spokes)
        if is_of_kind:
            yield replace(alike[0], refs=refs, is_of_kind=True)
        else:
            yield from alike


def _write(operations: Operations) -> str:
    """Return a text that is equal for equal operations."""
    return fingerprint([[one.op, one.path, one.value] for one in operations])


def _escape(value: Json) -> Json:
    """Return a value as a template that gives the same value, with the spoke's name for `NAME`."""
    if not isinstance(value, str):
        return map_children(value, _escape)
    parts = value.split(NAME)
    escaped = (p.replace("{", "{{ '{' }}") if is_template(p) else p for p in parts)
    return "{{ spoke.name }}".join(escaped)
