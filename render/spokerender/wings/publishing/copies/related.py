"""Related objects: which of a workspace's objects follow a copy, and as what.

Source: kcp-dev/api-syncagent, internal/sync/syncer_related.go: a reference is read on both sides
and its names are paired in their order; a template is carried out on both sides; a selector finds
objects on the origin's side, and a rewrite names them on the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from spokerender.config.selectors import LabelSelector
from spokerender.findings.codes.publishing import BAD_PATTERN, UNEVEN_REFERENCE
from spokerender.model import FieldPath
from spokerender.wings.publishing import jsonpaths, regexes
from spokerender.wings.publishing.config.published import (
    Lookup,
    Regex,
    RelatedSelector,
    RelatedSpec,
)
from spokerender.wings.publishing.contexts import (
    Engine,
    Home,
    MissingValue,
    Object,
    of_side,
    of_sides,
    result,
)
from spokerender.wings.publishing.problems import Refused


class Primaries(Struct, frozen=True, eq=False):
    """The object on either side, and where its consumer is."""

    remote: Object
    local: Object
    home: Home

    def sides(self, origin: str) -> tuple[tuple[str, Object], tuple[str, Object]]:
        """The origin's side first."""
        remote, local = ("kcp", self.remote), ("service", self.local)
        return (remote, local) if origin == "kcp" else (local, remote)


class Pair(Struct, frozen=True):
    """A related object: its namespace and name on the origin's side, and on the other."""

    origin: tuple[str, str]
    destination: tuple[str, str]


Listing = Sequence[tuple[str, str, Mapping[str, Any]]]
"""The objects of the origin's side of one kind: namespace, name, object."""


def pairs(
    related: RelatedSpec,
    primaries: Primaries,
    listings: tuple[Listing, Listing],
    engine: Engine,
    field: FieldPath,
) -> list[Pair]:
    """The related objects that are meant, whether they are there or not.

    `listings` are the origin's objects of the kind, and its Namespaces.

    Raises:
        Refused: names that can't be paired, a template that fails, no namespace.

    """
    listing, namespaces = listings
    find = _Finder(related.origin, primaries, engine)
    spaces = find.namespaces(related.object.namespace, namespaces, (*field, "object", "namespace"))
    at = (*field, "object")
    selector = related.object.selector
    if selector is None:
        named = find.names(related.object, (), at)
        pairs_of = {
            (space, name): (spaces[space], other) for space in spaces for name, other in named
        }
    else:
        chosen = [item for item in listing if item[0] in spaces]
        pairs_of = {
            (space, name): (spaces[space], other)
            for space, name, other in find.selected(selector, chosen, (*at, "selector"))
        }
    return [Pair(origin, destination) for origin, destination in pairs_of.items()]


class _Finder:
    """Finds names on both sides of one primary."""

    def __init__(self, origin: str, primaries: Primaries, engine: Engine) -> None:
        self._primaries = primaries
        self._sides = primaries.sides(origin)
        self._engine = engine

    def namespaces(
        self, lookup: Lookup | None, listing: Listing, field: FieldPath
    ) -> dict[str, str]:
        """The namespaces on the origin's side, each with the one on the other."""
        if lookup is not None:
            return dict(self.names(lookup, listing, field))
        origin, other = (str(side["metadata"].get("namespace") or "") for _, side in self._sides)
        if not origin or not other:
            message = "a cluster-scoped object's related ones are in no namespace of its own"
            raise Refused(UNEVEN_REFERENCE, message, "set object.namespace", field[:-1])
        return {origin: other}

    def names(self, lookup: Lookup, listing: Listing, field: FieldPath) -> list[tuple[str, str]]:
        """Names on the origin's side, each with the one on the other; what is empty is none."""
        if lookup.reference is not None:
            both = self._referenced(lookup, (*field, "reference"))
        elif lookup.template is not None:
            both = [self._templated(lookup.template.template, (*field, "template", "template"))]
        else:
            assert lookup.selector is not None  # noqa: S101  (exactly one is set)
            selected = self.selected(lookup.selector, listing, (*field, "selector"))
            both = [(name, other) for _, name, other in selected]
        return [(name, other) for name, other in both if name and other]

    def _referenced(self, lookup: Lookup, field: FieldPath) -> list[tuple[str, str]]:
        reference = lookup.reference
        assert reference is not None  # noqa: S101  (the caller looked)
        texts = []
        for _, side in self._sides:
            values = jsonpaths.get_path(side, reference.path)
            if values is None and self._engine.profile.needs_related:
                message = f"{reference.path} leads to nothing, which v0.2 refuses"
                raise Refused(UNEVEN_REFERENCE, message, "set the field", (*field, "path"))
            texts.append(_texts(values, reference.regex, (*field, "regex")))
        origin, other = texts
        if not origin:
            return []
        if len(origin) != len(other):
            message = f"{reference.path} has {len(origin)} names on the {self._sides[0][0]} side "
            message += f"and {len(other)} on the other"
            raise Refused(UNEVEN_REFERENCE, message, "use a template", (*field, "path"))
        return list(zip(origin, other, strict=True))

    def _templated(self, template: str, field: FieldPath) -> tuple[str, str]:
        made = []
        for name, side in self._sides:
            record = of_side(side, self._primaries.home, name)
            try:
                made.append(self._engine.made(template, record, field).text)
            except MissingValue:
                made.append("")
        return made[0], made[1]

    def selected(
        self, selector: RelatedSelector, listing: Listing, field: FieldPath
    ) -> Iterator[tuple[str, str, str]]:
        """What a selector finds: namespace, name, and what it is called on the other side."""
        labels = self._labels(selector, (*field, "matchLabels"))
        for space, name, data in listing:
            own = data["metadata"].get("labels") or {}
            if all(own.get(key) == value for key, value in labels.items()) and all(
                item.value.holds(own) for item in selector.match_expressions
            ):
                yield space, name, self._rewritten(selector, name, data, (*field, "rewrite"))

    def _labels(self, selector: RelatedSelector, field: FieldPath) -> dict[str, str]:
        record = of_sides(self._primaries.local, self._primaries.remote, self._primaries.home)
        made: dict[str, str] = {}
        for key, value in selector.match_labels.items():
            where = (*field, key)
            name = self._engine.made(key, record, where, missing="").text
            if name:
                made[name] = self._engine.made(value, record, where, missing="").text
        return made

    def _rewritten(
        self, selector: RelatedSelector, name: str, data: Object, field: FieldPath
    ) -> str:
        rewrite = selector.rewrite
        if rewrite.regex is not None:
            return _replaced(name, rewrite.regex, (*field, "regex"))
        assert rewrite.template is not None  # noqa: S101  (exactly one is set)
        local, remote = self._primaries.local, self._primaries.remote
        value = result(jsonpaths.FoundValue(name))
        record = of_sides(local, remote, self._primaries.home, Value=value, RelatedObject=data)
        where = (*field, "template", "template")
        return self._engine.made(rewrite.template.template, record, where, missing="").text


def _texts(values: jsonpaths.FoundValue | None, regex: Regex | None, field: FieldPath) -> list[str]:
    """The names at a path, each trimmed and then rewritten."""
    if values is None:
        return []
    items = values.value if isinstance(values.value, list) else [values.value]
    return [_replaced(jsonpaths.format_result(item).strip(), regex, field) for item in items]


def _replaced(text: str, regex: Regex | None, field: FieldPath) -> str:
    if regex is None:
        return text
    if not regex.pattern:
        return regex.replacement
    try:
        return regexes.compile_pattern(regex.pattern).replace(text, regex.replacement)
    except regexes.PatternError as problem:
        raise Refused(BAD_PATTERN, str(problem), "correct the pattern", field) from problem


def matches(selector: LabelSelector | None, labels: Mapping[str, str]) -> bool:
    """Whether a filter takes what has these labels; no filter takes all."""
    return selector is None or selector.value.matches(labels)
