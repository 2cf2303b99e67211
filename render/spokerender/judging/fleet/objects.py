"""Whether each spoke's API server would take each of its objects; each distinct one asked once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from spokerender.findings.codes.validation import ABSENT_CRD, AMBIGUOUS_CRD, NO_SCHEMA
from spokerender.findings.occurrences import Occurrence, merge_occurrences
from spokerender.findings.results import Fault, Result, Severity
from spokerender.judging.fleet.judged import Files, Refused, Unvalidated
from spokerender.judging.validation import (
    Schemas,
    Server,
    SlottedObject,
    check_known_fields,
    read_schemas,
    validate,
)
from spokerender.kinds.served import find_served_versions
from spokerender.model import Ref, kind_name, slots
from spokerender.rendering.values.bundles import Blueprint, Bundle, Variant, sharing, with_values
from spokerender.rendering.values.provenance import History, hub_line
from spokerender.rendering.values.rendered import Rendered

_ABOUT_THE_SERVER = (AMBIGUOUS_CRD, ABSENT_CRD)
"""What is said of a spoke's API server and not of an object, which it may well take."""

_Found = tuple[Variant, tuple[Fault, ...]]
"""An object, and what is wrong with it."""


class _Held:
    """An object with slots; for equal values it is judged once."""

    def __init__(self, variant: Variant, held: tuple[str, ...], alike: SlottedObject) -> None:
        self.variant = variant
        self._alike = alike
        self._slots = held
        self._known: dict[tuple[Any, ...], tuple[Fault, ...]] = {}

    def faults(self, values: slots.Values) -> tuple[Fault, ...]:
        """What is wrong with it on a spoke with these values."""
        key = slots.values_key(self._slots, values)
        if key not in self._known:
            self._known[key] = self._alike.faults(values)
        return self._known[key]


class _Shared(Struct, frozen=True, eq=False):
    """What the spokes of a case have in common, and the objects in which they differ."""

    found: tuple[_Found, ...]
    held: tuple[_Held, ...]


def validated(
    rendered: Rendered, crd_files: Files
) -> tuple[Refused, tuple[Result, ...], tuple[Unvalidated, ...]]:
    """What each spoke's API server would not take, what there is to tell of it, and what isn't."""
    validator = Validator(rendered, crd_files)
    refused = {name: validator.refused(bundle) for name, bundle in rendered.bundles.items()}
    return refused, validator.results(), tuple(validator.unvalidated())


class Validator:
    """Validates one bundle after the other, and each distinct object once."""

    def __init__(self, rendered: Rendered, crd_files: Files) -> None:
        """Read the CRDs of the kinds that are shipped, from files and from the hub."""
        self._rendered = rendered
        self._schemas = schemas_of(rendered, crd_files)
        self._shared: dict[tuple[int, Server], _Shared] = {}
        self._objects: dict[tuple[int, Server], _Held | tuple[Fault, ...]] = {}
        self._told: list[tuple[Bundle, Result]] = []
        self._results: dict[tuple[int, int], tuple[Result, Fault]] = {}
        self._odd: dict[tuple[int, Server], tuple[Fault, ...]] = {}
        self._without: dict[tuple[str, str], list[Fault]] = {}
        self._unchosen: list[Occurrence] = []

    def refused(self, bundle: Bundle) -> dict[Ref, str]:
        """Validate what a spoke gets; the objects that its API server would refuse, and why."""
        server = Server(bundle.spoke.bundle, bundle.spoke.channel)
        shared = self._of_case(bundle.blueprint, server)
        found = [*shared.found]
        for held in shared.held:
            faults = held.faults(bundle.values)
            if faults:
                found.append((held.variant, faults))
        return self._refused(found, bundle)

    def _refused(self, found: Iterable[_Found], bundle: Bundle) -> dict[Ref, str]:
        """What is told of it; what spokes share is told in the very same words."""
        refused: dict[Ref, str] = {}
        for variant, faults in found:
            history: Callable[[], History] | None = None
            for fault in faults:
                if fault.finding is NO_SCHEMA:
                    identity = (variant.ref.group, variant.ref.kind)
                    self._without.setdefault(identity, []).append(fault)
                    continue
                if fault.finding in _ABOUT_THE_SERVER:
                    self._unchosen.append(
                        Occurrence(fault.result(None, None), (bundle.spoke.name,))
                    )
                    continue
                history = history or cache(partial(History, self._rendered, bundle, variant))
                self._told.append((bundle, self._result(fault, variant, history)))
                if fault.finding.severity is Severity.ERROR:
                    refused.setdefault(variant.ref, fault.message)
        return refused

    def _of_case(self, case: Blueprint, server: Server) -> _Shared:
        """What all spokes of a case share: the faults of its objects without slots."""
        key = (id(case), server)
        if key not in self._shared:
            faults: list[_Found] = []
            held: list[_Held] = []
            for variant in case.variants:
                judged = self._judged(variant, server)
                if isinstance(judged, _Held):
                    held.append(judged)
                elif judged:
                    faults.append((variant, judged))
                if odd := self._unheard(variant, server):
                    faults.append((variant, odd))
            self._shared[key] = _Shared(tuple(faults), tuple(held))
        return self._shared[key]

    def _unheard(self, variant: Variant, server: Server) -> tuple[Fault, ...]:
        """What is odd in an object whose kind has no CRD; keys are the same on every spoke."""
        ref = variant.ref
        if (ref.group, ref.kind) in self._schemas.definitions:
            return ()
        key = (id(variant), server)
        if key not in self._odd:
            is_told = (
                find_served_versions(ref.group, ref.kind, server.bundle, server.channel) is not None
            )
            versions = () if is_told else self._rendered.hub.catalogue.served(ref.group, ref.kind)
            self._odd[key] = check_known_fields(variant.object, ref, versions)
        return self._odd[key]

    def _judged(self, variant: Variant, server: Server) -> _Held | tuple[Fault, ...]:
        """What is wrong with an object, or who can tell for a spoke's values if it has slots."""
        key = (id(variant), server)
        if key not in self._objects:
            asked = (variant.object, variant.ref, self._schemas, server)
            held = slots.slots_in(variant.object)
            self._objects[key] = (
                _Held(variant, held, SlottedObject(*asked)) if held else validate(*asked)
            )
        return self._objects[key]

    def results(self) -> tuple[Result, ...]:
        """Everything that was found, told once for the spokes that share it."""
        return (
            *_of_consumers(self._rendered),
            *self._schemas.results,
            *merge_occurrences(with_values(self._told)),
            *map(self._at_its_spoke, merge_occurrences(self._unchosen)),
            *self._without_schema(),
        )

    def unvalidated(self) -> Iterator[Unvalidated]:
        """The kinds that have no CRD."""
        for (group, kind), objects in sorted(self._without.items(), key=lambda item: item[0]):
            plural = self._rendered.hub.catalogue.kind(group, kind).plural
            yield Unvalidated(kind, kind_name(group, plural), len(objects))

    def _result(self, fault: Fault, variant: Variant, history: Callable[[], History]) -> Result:
        """Told at the line that gave the field its value, be it an override's."""
        key = (id(variant), id(fault))
        if key not in self._results:
            if fault.origin is not None:
                result = fault.result(None, fault.origin)
            else:
                origin = history().source(fault.field).origin
                result = fault.result(variant.manifest.ref, origin)
            self._results[key] = result, fault
        return self._results[key][0]

    def _at_its_spoke(self, result: Result) -> Result:
        """What is said of API servers, at the first spoke's line: finding a line costs a parse."""
        return replace(result, origin=self._rendered.bundles[result.spokes[0]].spoke.origin)

    def _without_schema(self) -> Iterator[Result]:
        for (group, kind), objects in sorted(self._without.items(), key=lambda item: item[0]):
            yield NO_SCHEMA.result(
                f"no CRD of {kind_name(group, kind)} is at hand: {len(objects):,} of its objects "
                "were not validated",
                cure=objects[0].cure,
            )


def _of_consumers(rendered: Rendered) -> Iterator[Result]:
    """What the published schemas refuse of what consumers wrote."""
    schemas_of: dict[int, Schemas] = {}
    for copy in rendered.contribution.copies.values():
        if copy.face is None:
            continue
        schemas = schemas_of.get(id(copy.face))
        if schemas is None:
            ref = copy.source.ref
            crd = [(copy.face, copy.published.origin)]
            schemas = schemas_of[id(copy.face)] = read_schemas((), crd, {(ref.group, ref.kind)})
        for fault in validate(copy.source.object, copy.source.ref, schemas):
            if fault.finding is not NO_SCHEMA:
                origin = hub_line(copy.source, fault.field)
                yield fault.result(copy.source.ref, fault.origin or origin)


def schemas_of(rendered: Rendered, crd_files: Files) -> Schemas:
    """The CRDs of the kinds that are shipped, from files and from the hub."""
    wanted = {
        (variant.ref.group, variant.ref.kind)
        for blueprint, _ in sharing(rendered.bundles.values())
        for variant in blueprint.variants
    }
    own = [(manifest.object, manifest.origin) for manifest in rendered.hub.crds]
    return read_schemas(crd_files, own, wanted)
