"""Suppressions: findings that a user accepted are reported as infos, with the reason."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from spokerender.findings.codes.project import STALE_SUPPRESSION
from spokerender.findings.phrasing import did_you_mean
from spokerender.findings.results import INFO, Result
from spokerender.model import ObjectName, Origin, Ref
from spokerender.model.selectors import Selector

SUPPRESSED = "suppressed"
"""The tag with the reason."""

INSTEAD: Mapping[str, str] = {
    "SR11": "correct the file that the finding names: nothing can be rendered without it",
    "SR12": "correct the file or folder that the finding names",
    "SR19": "acknowledge the deletion under spec.deletions",
    "SR20": "correct the argument: fleet.yaml does not apply to arguments",
    "SR24": "remove the suppression that the finding names",
    "SR1507": "give the two different names or namespaces: a file can hold only one of them",
    "SR30": "correct what is imported: fleet.yaml does not apply to it",
}
"""The cures of findings that can't be suppressed, by code or by its first four characters."""


def instead_of_suppressing(code: str) -> str:
    """Return what to do about findings of a code that can't be suppressed; empty if it can be."""
    return INSTEAD.get(code) or INSTEAD.get(code[:4], "")


class SelectorSetting(Protocol):
    """A label selector of the fleet file."""

    @property
    def value(self) -> Selector:
        """Return the selector."""


LabelsOf = Callable[[Ref], Mapping[str, str]]
"""A function that returns the labels of an object on the hub."""


def _nobody(_: Ref) -> Mapping[str, str]:
    return {}


class Accepted(Protocol):
    """An entry of the fleet file's `spec.suppressions`."""

    @property
    def code(self) -> str:
        """Return the code of the findings."""

    @property
    def resource(self) -> str | None:
        """Return the hub object as Kind[.group]/[namespace/]name; the kind in any case."""

    @property
    def kind(self) -> str | None:
        """Return the kind of the objects, if not `resource`; None is any."""

    @property
    def namespace(self) -> str | None:
        """Return their namespace on the hub, if not `resource`; None is any."""

    @property
    def selector(self) -> SelectorSetting | None:
        """Return the selector of their labels on the hub, if not `resource`; None is any."""

    @property
    def spoke(self) -> str | None:
        """Return the spoke; None is every spoke."""

    @property
    def reason(self) -> str:
        """Return the reason."""


def suppress(
    results: Iterable[Result], accepted: Sequence[Accepted], labels_of: LabelsOf = _nobody
) -> tuple[Result, ...]:
    """Turn every accepted finding into an info, with the reason in the tag `suppressed`.

    A finding that is accepted on some of its spokes is split: the rest of it comes first.
    """
    matchers = [_SuppressionMatcher.read(entry, labels_of) for entry in accepted]
    return tuple(part for result in results for part in _parts(result, matchers))


def accepts(
    accepted: Sequence[Accepted], labels_of: LabelsOf = _nobody
) -> Callable[[Result, str], bool]:
    """Return a predicate: does an entry suppress the finding for the spoke?"""
    matchers = [_SuppressionMatcher.read(entry, labels_of) for entry in accepted]

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

    Only a run that makes every check can tell: a build does not make those of `check`. `at`
    returns where a field of the fleet file is written.
    """
    everything = list(results)
    return tuple(
        STALE_SUPPRESSION.result(
            f"the suppression of {_name(entry)} matches no finding",
            cure=_near(entry, everything) or "remove the entry",
            field=f"spec.suppressions[{index}]",
            origin=at("spec", "suppressions", index),
        )
        for index, entry in enumerate(accepted)
        if not any(map(_SuppressionMatcher.read(entry, labels_of).matches, everything))
    )


class _SuppressionMatcher(Struct, frozen=True):
    """An entry with its resource parsed."""

    entry: Accepted
    object: ObjectName | None
    labels_of: LabelsOf

    @classmethod
    def read(cls, entry: Accepted, labels_of: LabelsOf = _nobody) -> _SuppressionMatcher:
        """Parse the resource of an entry."""
        named = ObjectName.read(entry.resource) if entry.resource else None
        return cls(entry, named, labels_of)

    def matches(self, result: Result) -> bool:
        """Tell whether it matches the finding on at least one of its spokes."""
        return (
            result.code == self.entry.code
            and result.resource is not None
            and self.names(result.resource)
            and (self.entry.spoke is None or self.entry.spoke in result.spokes)
        )

    def names(self, ref: Ref) -> bool:
        """Tell whether it names or selects the object."""
        if self.entry.resource is not None:
            return self.object is not None and self.object.names(ref)
        kind, namespace, selector = self.entry.kind, self.entry.namespace, self.entry.selector
        return (
            (kind is None or kind.casefold() == ref.kind.casefold())
            and namespace in (None, ref.namespace)
            and (selector is None or selector.value.matches(self.labels_of(ref)))
        )


def _parts(result: Result, matchers: Iterable[_SuppressionMatcher]) -> Iterator[Result]:
    """Split a finding into the part that stays and a suppressed part for each reason."""
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
    """Suggest an object or spoke that has a finding of the code and a similar name."""
    refs: dict[Ref, dict[str, None]] = {}
    for result in results:
        if result.code == entry.code and result.resource is not None:
            refs.setdefault(result.resource, {}).update(dict.fromkeys(result.spokes))
    for ref, spokes in refs.items():
        if _SuppressionMatcher.read(entry).names(ref):
            return did_you_mean(entry.spoke or "", spokes, "it is found on")
    if entry.resource is None:
        return did_you_mean(entry.kind or "", [ref.kind for ref in refs])
    return did_you_mean(entry.resource, [str(ObjectName.of(ref, with_group=False)) for ref in refs])
