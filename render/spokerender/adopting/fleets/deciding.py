"""Differences between clusters, written as values, by a label, or as exceptions."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from msgspec.structs import replace

from spokerender.adopting.fleets.values import (
    AdoptedOverride,
    Column,
    Departure,
    Mismatches,
    Operation,
)
from spokerender.formats.comparing import ABSENT, fingerprint, is_same_json
from spokerender.formats.templating.template import is_template
from spokerender.kinds.fields import read_value
from spokerender.model import FieldPath, Ref, grouped
from spokerender.model.shapes import Json, map_children, match_words
from spokerender.model.slots import NAME, fill
from spokerender.topology.node import GATEWAY

_TIERS = re.compile("prod|production|stag(e|ing)?|stg|dev(el(opment)?)?|test|qa|uat|preprod|canary")
_KEY = re.compile(r"[^A-Za-z0-9]+")
FEW = 5
"""At most one of so many clusters is the exception."""


class Selections:
    """Selects clusters: by a label that a word of their names gives them, or by name."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self.used: set[str] = set()
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
        """Return a selection that has the chosen clusters and no other of those it is among."""
        few, rest = frozenset(chosen), frozenset(among) - frozenset(chosen)
        if not rest:
            return {"all": True}
        for key in ("tier", "region"):
            first, *others = {self.labels[name].get(key) for name in few}
            is_apart = all(self.labels[name].get(key) != first for name in rest)
            if first is not None and not others and is_apart and self._counts[key, first] > 1:
                self.used.add(key)
                return {"selector": {"matchLabels": {key: first}}}
        if len(rest) <= max(1, len(among) // FEW) < len(few):
            return {"all": True, "except": [name for name in self.names if name in rest]}
        return {"names": [name for name in self.names if name in few]}


class SpokeValues:
    """The values of clusters by name, and the texts that are made of them."""

    def __init__(self, names: Sequence[str]) -> None:
        self.of: dict[str, dict[str, Json]] = {}
        self._places = Counter[str]()
        self._patterns = {name: match_words([name]) for name in names}

    def express(self, values: Mapping[str, Json], field: str, owner: str) -> str:
        """Return the expression for what each cluster has: its name, or a value of its own.

        A value is named by its field; one that is there already is used, alone or within a text.
        """
        blanked = {self._blank(value, name) for name, value in values.items()}
        if len(blanked) == 1 and isinstance(text := blanked.pop(), str) and NAME in text:
            return text.replace(NAME, "{{ spoke.name }}")
        for name in self.of:
            if (text := self._use(name, values)) is not None:
                self._places[name] += 1
                return text
        plain = _camel(field)
        names = (
            plain,
            _camel(f"{owner}-{field}"),
            *(f"{plain}{number}" for number in range(2, 1000)),
        )
        new = next(name for name in names if name and name not in self.of)
        self.of[new] = dict(values)
        self._places[new] = 1
        return f"{{{{ spoke.values.{new} }}}}"

    def count(self) -> dict[str, tuple[int, int]]:
        """Return how many different values there are of each, and in how many places it is used."""
        return {
            name: (len(set(map(str, own.values()))), self._places[name])
            for name, own in self.of.items()
        }

    def _blank(self, value: Json, name: str) -> Json:
        return self._patterns[name].sub(NAME, value) if isinstance(value, str) else repr(value)

    def _use(self, name: str, values: Mapping[str, Json]) -> str | None:
        """Return a text that is each cluster's with its value in it; None if there is none."""
        own = self.of[name]
        expression = f"{{{{ spoke.values.{name} }}}}"
        if all(is_same_json(own.get(cluster, value), value) for cluster, value in values.items()):
            own.update(values)
            return expression
        if not all(
            isinstance(value, str) and isinstance(own.get(c), str) for c, value in values.items()
        ):
            return None
        texts = {match_words([str(own[c])]).sub("\0", value) for c, value in values.items()}
        text = texts.pop()
        return text.replace("\0", expression) if not texts and "\0" in text else None


def _camel(text: str) -> str:
    """Write a field's name as that of a value: `perMinute`."""
    first, *others = [word for word in _KEY.split(text) if word] or [""]
    name = first[:1].lower() + first[1:] + "".join(word[:1].upper() + word[1:] for word in others)
    return name if name[:1].isalpha() else ""


_FEWEST = 3
"""The fewest clusters of which one may be the odd one out, and values that are not two sides."""
_Change = tuple[frozenset[str], Operation]


def are_few(some: int, every: int) -> bool:
    """Tell whether so many clusters are exceptions: at most a fifth, or one of at least three."""
    return some <= max(1, every // FEW) and every >= _FEWEST


class Departures:
    """The differences between clusters that are worth telling."""

    def __init__(self, selections: Selections) -> None:
        self.noted: list[Departure] = []
        self._selections = selections

    def note(self, ref: Ref, path: FieldPath, values: Mapping[str, Json]) -> None:
        """Note what clusters have in a field, if they differ."""
        names = [name for name in self._selections.names if name in values]
        alike = grouped((fingerprint(values[name]), name) for name in names)
        ranked = sorted(alike.values(), key=lambda each: -len(each))
        others = [name for each in ranked[1:] for name in each]
        is_few = are_few(len(others), len(names))
        if not others:
            return
        labels = [self._selections.select(each, names).get("selector") for each in ranked[1:]]
        texts = (f"{k}={v}" for item in labels if item for k, v in item["matchLabels"].items())
        label = ", ".join(texts) if all(labels) else ""
        shown = tuple((values[each[0]], tuple(each)) for each in ranked)
        self.noted.append(Departure(ref, path, shown, label, is_few and not label))


class Decider:
    """Decides how each difference is written."""

    def __init__(self, selections: Selections, values: SpokeValues, departures: Departures) -> None:
        self._selections = selections
        self._values = values
        self._departures = departures

    def decide(self, differences: Mismatches) -> list[AdoptedOverride]:
        """Return the overrides, by object."""
        overrides = self.take_away(differences)
        for ref, clusters in differences.surplus.items():
            there = dict.fromkeys(differences.bases.get(ref, ()), "")
            self._departures.note(ref, (), {**there, **dict.fromkeys(clusters, ABSENT)})
        columns = grouped((column.ref, column) for column in differences.columns.values())
        for ref, of_object in sorted(columns.items()):
            among = differences.bases[ref]
            changes: list[_Change] = []
            for column in of_object:
                steps = column.operation.path
                above = [
                    other.values
                    for other in of_object
                    if other is not column and steps[: len(path := other.operation.path)] == path
                ]
                changes += self._decide(column, among, above)
            for names, operations in _join(changes):
                spokes = self._selections.select(names, among)
                overrides.append(AdoptedOverride(ref, spokes, names, operations))
        return list(_join_kinds(overrides, differences.bases))

    def take_away(self, differences: Mismatches) -> list[AdoptedOverride]:
        """Return the overrides that keep objects from clusters which have others, or none."""
        gone: dict[Ref, set[str]] = {}
        for objects in (differences.surplus, differences.apart):
            for ref, clusters in sorted(objects.items()):
                gone.setdefault(ref, set()).update(clusters)
        return [
            AdoptedOverride(
                ref,
                self._selections.select(clusters, {*clusters, *differences.bases.get(ref, ())}),
                frozenset(clusters),
            )
            for ref, clusters in gone.items()
            if (ref.group, ref.kind) != GATEWAY  # a rule alone says where one is
        ]

    def _decide(
        self,
        column: Column,
        bases: Mapping[str, Mapping[str, Any]],
        above: Sequence[Collection[str]],
    ) -> Iterator[_Change]:
        """Yield an operation for each set of clusters; those `above` change all around it."""
        operation = column.operation
        is_new = operation.op == "add"
        now = {
            name: ABSENT if is_new else read_value(data, operation.path, ABSENT)
            for name, data in bases.items()
            if not any(name in whole for whole in above)
        }
        values = dict.fromkeys(column.values, ABSENT) if operation.op == "remove" else column.values
        now |= values
        exact = {name: fill(value, {NAME: name}) for name, value in now.items()}
        distinct = Counter(map(fingerprint, exact.values()))
        (_, most), *_ = distinct.most_common(1)
        is_scattered = len(distinct) >= _FEWEST and most < len(now) * (1 - 1 / FEW)
        is_name = len(now) > 1 and {NAME in str(value) for value in now.values()} == {True}
        is_name = is_name and len(set(map(fingerprint, now.values()))) == 1
        if all(isinstance(value, str | int | float) for value in exact.values()) and (
            is_scattered or is_name
        ):
            field = next(str(step) for step in reversed(operation.path) if isinstance(step, str))
            text = self._values.express(exact, field, column.ref.name)
            yield frozenset(now), replace(operation, value=text)
            return
        self._departures.note(column.ref, operation.path, exact)
        alike = grouped((fingerprint(value), name) for name, value in column.values.items())
        for names in alike.values():
            value = column.values[names[0]]
            value = fill(value, {NAME: names[0]}) if len(names) == 1 else value
            yield frozenset(names), replace(operation, value=_escape(value))


def _join(changes: Sequence[_Change]) -> Iterator[tuple[frozenset[str], tuple[Operation, ...]]]:
    """Yield operations that are for the same clusters, together.

    Items are put into lists and taken out last, inner lists first, as all indices are those of the
    lists as they are rendered.
    """
    staying = grouped(change for change in changes if not _moves(change[1]))
    yield from ((clusters, tuple(operations)) for clusters, operations in staying.items())
    moving = sorted((each for each in changes if _moves(each[1])), key=lambda each: _order(each[1]))
    for clusters, each in groupby(moving, key=itemgetter(0)):
        yield clusters, tuple(operation for _, operation in each)


def _moves(operation: Operation) -> bool:
    return operation.op != "replace" and isinstance(operation.path[-1], int)


def _order(operation: Operation) -> tuple[object, ...]:
    """Return the order in which lists change: inner ones first; removals from the end."""
    *above, index = operation.path
    is_addition = operation.op == "add"
    at = int(index) if is_addition else -int(index)
    return -len(above), [str(step) for step in above], is_addition, at


def _join_kinds(
    overrides: Sequence[AdoptedOverride], objects: Iterable[Ref]
) -> Iterator[AdoptedOverride]:
    """Yield overrides; those that change all objects of a kind alike are one, without a name."""
    every = Counter((ref.group, ref.kind) for ref in objects)
    shared = grouped((item.key, item) for item in overrides)
    for item in overrides:
        alike = shared[item.key]
        is_of_all = len(alike) == every[item.ref.group, item.ref.kind]
        if not (item.operations and is_of_all) or (len(alike) == 1 and "all" not in item.spokes):
            yield item
        elif alike[0] is item:
            yield replace(item, ref=replace(item.ref, namespace="", name=""))


def _escape(value: Json) -> Json:
    """Return a value of which expressions make the same: with the cluster's name, and no others."""
    if not isinstance(value, str):
        return map_children(value, _escape)
    parts = value.split(NAME)
    escaped = (p.replace("{", "{{ '{' }}") if is_template(p) else p for p in parts)
    return "{{ spoke.name }}".join(escaped)
