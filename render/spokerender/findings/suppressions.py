"""Findings that somebody has looked at and accepted: told as infos, with the reason."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from spokerender.findings.codes.suppressions import STALE_SUPPRESSION
from spokerender.findings.results import INFO, Result
from spokerender.findings.suggest import did_you_mean
from spokerender.model import ObjectName, Origin, Ref
from spokerender.model.selectors import LabelSelector

SUPPRESSED = "suppressed"
"""The tag that has the reason."""


class Selector(Protocol):
    """A label selector, as it is written."""

    @property
    def value(self) -> LabelSelector:
        """What it says."""


LabelsOf = Callable[[Ref], Mapping[str, str]]
"""The labels of an object on the hub."""


def _nobody(_: Ref) -> Mapping[str, str]:
    return {}


class Accepted(Protocol):
    """An entry of the fleet file's `spec.suppressions`."""

    @property
    def code(self) -> str:
        """The finding's code."""

    @property
    def resource(self) -> str | None:
        """The hub object, as Kind[.group]/[namespace/]name; the kind in any case."""

    @property
    def kind(self) -> str | None:
        """Instead of that: the kind of all that it is about; None is any."""

    @property
    def namespace(self) -> str | None:
        """Instead of that: their namespace on the hub; None is any."""

    @property
    def selector(self) -> Selector | None:
        """Instead of that: the labels that they have on the hub; None is any."""

    @property
    def spoke(self) -> str | None:
        """The spoke; None is every spoke."""

    @property
    def reason(self) -> str:
        """Why."""


def suppress(
    results: Iterable[Result], accepted: Sequence[Accepted], labels_of: LabelsOf = _nobody
) -> tuple[Result, ...]:
    """Make every finding that is accepted an info, and keep the others as they are.

    Where one spoke of several is accepted, the finding is split: what is left of it comes first.
    The reason is in the tag `suppressed`. What is suppressed already stays so.
    """
    matchers = [_Matcher.read(entry, labels_of) for entry in accepted]
    return tuple(part for result in results for part in _parts(result, matchers))


def accepts(
    accepted: Sequence[Accepted], labels_of: LabelsOf = _nobody
) -> Callable[[Result, str], bool]:
    """A question to ask of findings: whether one would be suppressed for a spoke."""
    matchers = [_Matcher.read(entry, labels_of) for entry in accepted]

    def is_accepted(result: Result, spoke: str) -> bool:
        alone = replace(result, spokes=(spoke,))
        return any(matcher.matches(alone) for matcher in matchers)

    return is_accepted


def stale(
    results: Iterable[Result],
    accepted: Sequence[Accepted],
    at: Callable[..., Origin],
    labels_of: LabelsOf = _nobody,
) -> tuple[Result, ...]:
    """Warn of the entries that match none of the findings, suppressed or not.

    To be asked only of a run that made every check: a build alone does not make those of `check`.
    `at` tells where a field of the fleet file is written.
    """
    everything = list(results)
    return tuple(
        STALE_SUPPRESSION.result(
            f"nothing is found that {_name(entry)} would suppress",
            cure=_near(entry, everything)
            or "take the entry out: there is nothing left to suppress",
            field=f"spec.suppressions[{index}]",
            origin=at("spec", "suppressions", index),
        )
        for index, entry in enumerate(accepted)
        if not any(map(_Matcher.read(entry, labels_of).matches, everything))
    )


class _Matcher(Struct, frozen=True):
    """An entry, read."""

    entry: Accepted
    object: ObjectName | None
    labels_of: LabelsOf

    @classmethod
    def read(cls, entry: Accepted, labels_of: LabelsOf = _nobody) -> _Matcher:
        """Read what an entry is about."""
        named = ObjectName.read(entry.resource) if entry.resource else None
        return cls(entry, named, labels_of)

    def matches(self, result: Result) -> bool:
        """Whether it means the finding, on one of its spokes at least."""
        return (
            result.code == self.entry.code
            and result.resource is not None
            and self.names(result.resource)
            and (self.entry.spoke is None or self.entry.spoke in result.spokes)
        )

    def names(self, ref: Ref) -> bool:
        """Whether it names the object, or it is one of those that it is about."""
        if self.entry.resource is not None:
            return self.object is not None and self.object.names(ref)
        kind, namespace, selector = self.entry.kind, self.entry.namespace, self.entry.selector
        return (
            (kind is None or kind.casefold() == ref.kind.casefold())
            and namespace in (None, ref.namespace)
            and (selector is None or selector.value.matches(self.labels_of(ref)))
        )


def _parts(result: Result, matchers: Iterable[_Matcher]) -> Iterator[Result]:
    """What is left of a finding, and what is suppressed of it for each reason."""
    matching = [matcher.entry for matcher in matchers if matcher.matches(result)]
    if not matching or any(name == SUPPRESSED for name, _ in result.tags):
        yield result
        return
    whole = next((entry for entry in matching if entry.spoke is None), None)
    reasons = {entry.spoke: entry.reason for entry in reversed(matching) if entry.spoke}
    left = tuple(spoke for spoke in result.spokes if spoke not in reasons)
    if whole is not None and (left or not result.spokes):
        yield _suppressed(result, left, whole.reason)
    elif left:
        yield replace(result, spokes=left)
    for reason in dict.fromkeys(reasons[spoke] for spoke in result.spokes if spoke in reasons):
        spokes = tuple(spoke for spoke in result.spokes if reasons.get(spoke) == reason)
        yield _suppressed(result, spokes, reason)


def _suppressed(result: Result, spokes: tuple[str, ...], reason: str) -> Result:
    tags = (*result.tags, (SUPPRESSED, reason))
    return replace(result, severity=INFO, spokes=spokes, tags=tags)


def _name(entry: Accepted) -> str:
    where = f" on {entry.spoke}" if entry.spoke else ""
    about = entry.resource or entry.kind or "objects"
    about += f" in namespace {entry.namespace}" if entry.namespace else ""
    about += " with these labels" if entry.selector else ""
    return f"{entry.code} of {about}{where}"


def _near(entry: Accepted, results: Iterable[Result]) -> str:
    """What is found under that code, if its name is near; on other spokes, where that is all."""
    refs: dict[Ref, dict[str, None]] = {}
    for result in results:
        if result.code == entry.code and result.resource is not None:
            refs.setdefault(result.resource, {}).update(dict.fromkeys(result.spokes))
    for ref, spokes in refs.items():
        if _Matcher.read(entry).names(ref):
            return did_you_mean(entry.spoke or "", spokes, "it is found on")
    if entry.resource is None:
        return did_you_mean(entry.kind or "", [ref.kind for ref in refs])
    return did_you_mean(entry.resource, [str(ObjectName.of(ref, with_group=False)) for ref in refs])
