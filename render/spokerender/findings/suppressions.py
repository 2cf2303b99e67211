"""Suppressions: findings that a user accepted are reported as infos, with the reason."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from spokerender.findings.codes.project import STALE_SUPPRESSION
from spokerender.findings.occurrences import join_alike
from spokerender.findings.phrasing import did_you_mean
from spokerender.findings.results import INFO, Result
from spokerender.model import ObjectName, Origin, Ref
from spokerender.model.selectors import Selector

SUPPRESSED = "suppressed"
"""The tag with the reason of a suppression."""

_OF_CHANGES = "SR25"
"""The beginning of codes of findings about changes, which only `review` makes."""

INSTEAD: Mapping[str, str] = {
    "SR11": "correct the file that the finding names: nothing can be rendered without it",
    "SR12": "correct the file or folder that the finding names",
    "SR19": "acknowledge the deletion under spec.deletions",
    "SR20": "correct the argument: fleet.yaml does not apply to arguments",
    "SR24": "remove the suppression that the finding names",
    "SR1507": "give the two different names or namespaces: a file can hold only one of them",
    "SR30": "correct what is imported: fleet.yaml does not apply to it",
}
"""The fixes for findings that can't be suppressed, by code or by its first four characters."""


def instead_of_suppressing(code: str) -> str:
    """Return what to do about findings of a code that can't be suppressed; empty if it can be."""
    return INSTEAD.get(code) or INSTEAD.get(code[:4], "")


LabelsOf = Callable[[Ref], Mapping[str, str]]
"""A function that returns the labels of an object on the hub."""


def _nobody(_: Ref) -> Mapping[str, str]:
    return {}


class Accepted(Struct, frozen=True, kw_only=True, dict=True):
    """An entry of `spec.suppressions` in fleet.yaml; a field that is None matches everything.

    `resource` is a hub object as Kind[.group]/[namespace/]name, with the kind in any case. Without
    it, `kind`, `namespace` and `selector` select objects on the hub.
    """

    code: str
    reason: str
    resource: str | None = None
    kind: str | None = None
    namespace: str | None = None
    selector: Selector | None = None
    spoke: str | None = None

    @cached_property
    def _named(self) -> ObjectName | None:
        return ObjectName.read(self.resource or "")

    def matches(self, result: Result, labels_of: LabelsOf) -> bool:
        """Return whether the entry matches the finding on at least one of its spokes."""
        return (
            result.code == self.code
            and result.resource is not None
            and self.names(result.resource, labels_of)
            and (self.spoke is None or self.spoke in result.spokes)
        )

    def names(self, ref: Ref, labels_of: LabelsOf) -> bool:
        """Return whether the entry names or selects the object."""
        if self.resource is not None:
            return self._named is not None and self._named.names(ref)
        return (
            (self.kind is None or self.kind.casefold() == ref.kind.casefold())
            and self.namespace in (None, ref.namespace)
            and (self.selector is None or self.selector.matches(labels_of(ref)))
        )


def suppress(
    results: Iterable[Result], accepted: Sequence[Accepted], labels_of: LabelsOf = _nobody
) -> tuple[Result, ...]:
    """Return the findings; accepted ones are infos with the reason in the tag `suppressed`.

    A finding that is accepted on some of its spokes is split: the part not accepted comes first.
    Findings with one cause are joined afterwards, as suppressions apply to each spoke's text.
    """
    parts = [part for result in results for part in _parts(result, accepted, labels_of)]
    return join_alike(parts) if len(parts) > 1 else tuple(parts)


def accepts(
    accepted: Sequence[Accepted], labels_of: LabelsOf = _nobody
) -> Callable[[Result, str], bool]:
    """Return a function that returns whether an entry suppresses a finding on a spoke."""

    def is_accepted(result: Result, spoke: str) -> bool:
        alone = replace(result, spokes=(spoke,))
        return any(entry.matches(alone, labels_of) for entry in accepted)

    return is_accepted


def stale(
    results: Iterable[Result],
    accepted: Sequence[Accepted],
    at: Callable[..., Origin],
    labels_of: LabelsOf = _nobody,
) -> tuple[Result, ...]:
    """Return a warning for each entry that matches no finding, suppressed or not.

    This requires a run with all checks: a build does not make the checks of `check`. `at` returns
    the line of a field of fleet.yaml.
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
        if not entry.code.startswith(_OF_CHANGES)
        and not any(entry.matches(result, labels_of) for result in everything)
    )


def _parts(result: Result, accepted: Iterable[Accepted], labels_of: LabelsOf) -> Iterator[Result]:
    """Yield a finding for the spokes where it is not suppressed, then one for each reason."""
    matching = [entry for entry in accepted if entry.matches(result, labels_of)]
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
    """Return a similar spoke, kind or object that has a finding of the entry's code; or ""."""
    refs: dict[Ref, dict[str, None]] = {}
    for result in results:
        if result.code == entry.code and result.resource is not None:
            refs.setdefault(result.resource, {}).update(dict.fromkeys(result.spokes))
    for ref, spokes in refs.items():
        if entry.names(ref, _nobody):
            return did_you_mean(entry.spoke or "", spokes, "it is found on")
    if entry.resource is None:
        return did_you_mean(entry.kind or "", [ref.kind for ref in refs])
    return did_you_mean(entry.resource, [str(ObjectName.of(ref, with_group=False)) for ref in refs])
