"""Label selectors, as Kubernetes reads them, and selections of spokes."""

from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Self

from msgspec import Struct

from spokerender.model.refs import GroupKind, Ref
from spokerender.model.shapes import Json, as_mapping


class Expression(Struct, frozen=True):
    """An entry of `matchExpressions` in a label selector."""

    key: str
    operator: str
    values: tuple[str, ...] = ()

    @classmethod
    def read(cls, data: Json) -> Self:
        """Return the expression in an entry; with a field of a wrong type, it never matches."""
        entry = as_mapping(data)
        key, operator, values = (entry.get(name) for name in ("key", "operator", "values"))
        if isinstance(key, str) and isinstance(operator, str) and isinstance(values or [], list):
            return cls(key, operator, tuple(text for text in values or () if isinstance(text, str)))
        # No label has an empty key, and `In` without values holds of none.
        return cls("", "In")

    def holds(self, labels: Mapping[str, str]) -> bool:
        """Return whether the labels match the expression; an unknown operator never matches."""
        value = labels.get(self.key)
        match self.operator:
            case "In":
                return value in self.values
            case "NotIn":
                # Also without the label (apimachinery, Requirement.Matches).
                return value not in self.values
            case "Exists":
                return value is not None
            case "DoesNotExist":
                return value is None
        return False

    def implies(self, other: Self) -> bool:
        """Return whether all labels that match this expression match `other` as well."""
        if self.key != other.key:
            return False
        own, values = set(self.values), set(other.values)
        match other.operator:
            case "In":
                return self.operator == "In" and own <= values
            case "NotIn":
                is_apart = self.operator == "In" and not own & values
                return is_apart or (self.operator == "NotIn" and own >= values)
            case "Exists":
                return self.operator in ("In", "Exists")
        return self.operator == other.operator

    def __str__(self) -> str:
        """Return the expression as kubectl writes it: `tier in (gold,silver)`, `!canary`."""
        match self.operator:
            case "Exists":
                return self.key
            case "DoesNotExist":
                return f"!{self.key}"
        return f"{self.key} {self.operator.lower()} ({','.join(self.values)})"


class Selector(Struct, frozen=True):
    """A `metav1.LabelSelector`, which matches if all of its labels and expressions match.

    An empty selector matches everything (apimachinery, `LabelSelectorAsSelector`).
    """

    labels: tuple[tuple[str, str], ...] = ()
    expressions: tuple[Expression, ...] = ()

    @classmethod
    def read(cls, data: Json) -> Self:
        """Return the selector in JSON; a selector with a value of a wrong type never matches."""
        if not isinstance(data, Mapping):
            # apimachinery, LabelSelectorAsSelector: nil selects nothing, an empty selector
            # everything.
            return cls(expressions=(_NEVER,))
        labels = data.get("matchLabels") or {}
        expressions = data.get("matchExpressions") or []
        if not (isinstance(labels, Mapping) and isinstance(expressions, list)):
            return cls(expressions=(_NEVER,))
        if not all(isinstance(text, str) for pair in labels.items() for text in pair):
            return cls(expressions=(_NEVER,))
        # Sorted, so that equal selectors are equal values.
        return cls(tuple(sorted(labels.items())), tuple(map(Expression.read, expressions)))

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Return whether an object with these labels is selected."""
        return all(labels.get(key) == value for key, value in self.labels) and all(
            expression.holds(labels) for expression in self.expressions
        )

    def is_within(self, other: Self) -> bool:
        """Return whether `other` selects every object that this selector selects."""
        # A label is an expression with one value.
        own, others = (
            [*(Expression(key, "In", (text,)) for key, text in it.labels), *it.expressions]
            for it in (self, other)
        )
        # Each condition of the other one must follow from one of ours: a sufficient test, which
        # needs no solver.
        return all(any(one.implies(item) for one in own) for item in others)

    def judge(self, labels: Mapping[str, str | None]) -> bool | None:
        """Return whether the selector matches an object of which only these labels are known.

        A label with the value None is known to be absent. Returns None if unknown labels decide.
        """
        present = {key: text for key, text in labels.items() if text is not None}
        decided = [present.get(key) == value for key, value in self.labels if key in labels]
        decided += [item.holds(present) for item in self.expressions if item.key in labels]
        # One unmet condition decides, whatever the other labels are.
        if not all(decided) or _NEVER in self.expressions:
            return False
        return True if len(decided) == len(self.labels) + len(self.expressions) else None

    def __str__(self) -> str:
        """Return the selector in the form of `kubectl get -l`; empty if it matches everything."""
        return ",".join(
            [*(f"{key}={value}" for key, value in self.labels), *map(str, self.expressions)]
        )


_NEVER = Expression("", "In")
EVERYTHING = Selector()
"""The selector that matches everything."""


EVERY_KIND: GroupKind = ("", "*")
"""Stands for all groups and kinds."""


class ExternalPattern(Struct, frozen=True):
    """A pattern of objects that spokes have and the hub lacks; `*` and `?` as in a shell.

    `listeners` are the declared names of the objects' listeners. `gateways` are the Gateways of the
    hub that the objects are attached to.
    """

    group: str
    kind: str
    namespace: str
    name: str
    listeners: tuple[str, ...] = ()
    gateways: tuple[Ref, ...] = ()

    @property
    def is_in_one_namespace(self) -> bool:
        """Return whether the namespace is a name, not a pattern."""
        return not {"*", "?"}.intersection(self.namespace)

    def may_be_in(self, namespace: str) -> bool:
        """Return whether some of the objects may be in `namespace`."""
        return fnmatchcase(namespace, self.namespace)

    def __contains__(self, ref: Ref) -> bool:
        is_of_kind = (self.group, self.kind) == (ref.group, ref.kind)
        # Not `fnmatch`, which ignores case on some systems.
        return is_of_kind and self.may_be_in(ref.namespace) and fnmatchcase(ref.name, self.name)


class ExternalObjects(Struct, frozen=True):
    """All declarations about objects that spokes have and the hub lacks.

    Of `complete_kinds`, spokes have only the objects of the hub and the objects of `entries`.
    """

    entries: tuple[ExternalPattern, ...] = ()
    complete_kinds: frozenset[GroupKind] = frozenset()

    def __contains__(self, ref: Ref) -> bool:
        return any(ref.whole in entry for entry in self.entries)

    def is_complete(self, group: str, kind: str) -> bool:
        """Return whether spokes have only the hub's and the declared objects of a kind."""
        return not self.complete_kinds.isdisjoint(((group, kind), EVERY_KIND))

    def declares(self, kind: GroupKind, namespace: str) -> bool:
        """Return whether an entry declares objects of `kind` that may be in `namespace`."""
        entries = (item for item in self.entries if (item.group, item.kind) == kind)
        return any(item.may_be_in(namespace) for item in entries)

    def lacks(self, ref: Ref) -> bool:
        """Return whether spokes are known to lack the object `ref`, which the hub lacks."""
        return self.is_complete(ref.group, ref.kind) and ref not in self

    def listeners(self, ref: Ref) -> tuple[str, ...]:
        """Return the declared names of the listeners of the object `ref`."""
        return tuple(name for item in self.entries if ref.whole in item for name in item.listeners)

    def gateways(self, ref: Ref) -> tuple[Ref, ...]:
        """Return the Gateways of the hub that the object `ref` is attached to."""
        return tuple(name for item in self.entries if ref.whole in item for name in item.gateways)


NO_EXTERNAL = ExternalObjects()


class SpokeSelector(Struct, frozen=True):
    """A selection of spokes: `names`, or (if None) those of `selector`; except those in `but`.

    `placement` is the key of a Placement of the hub, whose decision names the spokes, and `group`
    is one of its decision groups, "" for all groups.
    """

    names: tuple[str, ...] | None = None
    selector: Selector = EVERYTHING
    but: tuple[str, ...] = ()
    placement: str = ""
    group: str = ""

    def means(self, name: str, labels: Mapping[str, str]) -> bool:
        """Return whether the spoke with that name and these labels is selected."""
        if self.names is not None:
            return name in self.names
        return name not in self.but and self.selector.matches(labels)


LABELLED = SpokeSelector(names=())
"""Selects, for each Gateway, the spokes of the Placement that its label (PLACEMENT_LABEL) names."""
