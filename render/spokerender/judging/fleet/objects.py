"""Validates the objects of a fleet, each distinct object once for each distinct API server."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from operator import itemgetter

from msgspec import Struct
from msgspec.structs import replace

from spokerender.findings.codes.attachment import ABSENT_CRD, AMBIGUOUS_CRD, NO_SCHEMA
from spokerender.findings.codes.hub import PLACEHOLDERS
from spokerender.findings.occurrences import Occurrence, merge_occurrences
from spokerender.findings.phrasing import count, listed
from spokerender.findings.results import Fault, Result, Severity
from spokerender.judging.fleet.judged import Refused, SchemaGaps, Unvalidated
from spokerender.judging.validation.choosing import choose_schema
from spokerender.judging.validation.crds import Schemas, Server, read_schemas
from spokerender.judging.validation.objects import SlottedObject, validate
from spokerender.kinds.fields import read_value
from spokerender.kinds.malformed import report_unheard_version
from spokerender.model import Ref, kind_name, slots
from spokerender.model.memo import memoised
from spokerender.model.releases import BundledRelease
from spokerender.model.shapes import Json, as_text
from spokerender.model.sources import Files
from spokerender.rendering.values.bundles import Blueprint, Bundle, Variant, sharing, with_values
from spokerender.rendering.values.provenance import History
from spokerender.rendering.values.rendered import Rendered
from spokerender.topology.kustomizing import RENDERED_FIRST
from spokerender.topology.places import hub_line

_ABOUT_THE_SERVER = (AMBIGUOUS_CRD, ABSENT_CRD)
"""Findings about CRDs of a spoke's API server, which may accept the object nevertheless."""

_FaultyObject = tuple[Variant, tuple[Fault, ...]]


class _CheckedBlueprint(Struct, frozen=True, eq=False):
    """The faults that all spokes of a blueprint share, and checks for objects with placeholders."""

    faulty: tuple[_FaultyObject, ...]
    slotted: tuple[tuple[Variant, SlottedObject], ...]


def validated(
    rendered: Rendered, crd_files: Files
) -> tuple[Refused, tuple[Result, ...], SchemaGaps]:
    """Return the objects that API servers refuse, the findings, and the CRDs that are missing."""
    validator = FleetValidator(rendered, crd_files)
    refused = {name: validator.refused(bundle) for name, bundle in rendered.bundles.items()}
    return refused, validator.results(), validator.gaps()


class FleetValidator:
    """Validates one bundle after another, each distinct object once, and collects findings."""

    def __init__(self, rendered: Rendered, crd_files: Files) -> None:
        self._rendered = rendered
        self._schemas = read_shipped_schemas(rendered, crd_files)
        self._assumed: set[BundledRelease] = set()
        self._found: list[tuple[Bundle, Result]] = []
        self._placeholders: list[tuple[Bundle, Result]] = []
        self._results: dict[tuple[Variant, Fault], Result] = {}
        self._without_crd: dict[tuple[str, str], list[Fault]] = {}
        self._about_servers: list[Occurrence] = []

    def refused(self, bundle: Bundle) -> dict[Ref, str]:
        """Return a spoke's objects that its API server refuses, with reasons; collect findings."""
        server = Server(bundle.spoke.bundle, bundle.spoke.channel)
        checked = self._check_blueprint(bundle.blueprint, server)
        faulty = [*checked.faulty]
        for variant, slotted in checked.slotted:
            if faults := slotted.faults(bundle.values):
                faulty.append((variant, faults))
        return self._collect(faulty, bundle)

    def _collect(self, faulty: Iterable[_FaultyObject], bundle: Bundle) -> dict[Ref, str]:
        """Add findings for the faults; return the refused objects with reasons."""
        refused: dict[Ref, str] = {}
        for variant, faults in faulty:
            history: Callable[[], History] | None = None
            for fault in faults:
                # Counted by kind, since hundreds of objects may lack one CRD.
                if fault.finding is NO_SCHEMA:
                    group_kind = (variant.ref.group, variant.ref.kind)
                    self._without_crd.setdefault(group_kind, []).append(fault)
                    continue
                if fault.finding in _ABOUT_THE_SERVER:
                    result = fault.result(None, None)
                    self._about_servers.append(Occurrence(result, (bundle.spoke.name,)))
                    continue
                # A history renders the object step by step, so it is made for the first fault only.
                history = history or cache(partial(History, self._rendered, bundle, variant))
                group = self._placeholders if _is_open(fault, variant.object) else self._found
                group.append((bundle, self._locate(fault, variant, history)))
                if fault.finding.severity is Severity.ERROR:
                    refused.setdefault(variant.ref, fault.message)
        return refused

    @memoised
    def _check_blueprint(self, blueprint: Blueprint, server: Server) -> _CheckedBlueprint:
        faulty: list[_FaultyObject] = []
        slotted: list[tuple[Variant, SlottedObject]] = []
        for variant in blueprint.variants:
            checked, choice = self._check_object(variant, server)
            if isinstance(checked, SlottedObject):
                slotted.append((variant, checked))
            elif checked:
                faulty.append((variant, checked))
            faulty += choice
        return _CheckedBlueprint(tuple(faulty), tuple(slotted))

    def _check_choice(self, variant: Variant, server: Server) -> Iterator[_FaultyObject]:
        """Record an assumed release; yield a fault if a kind without CRD has an unknown version."""
        ref, api_version = variant.ref, as_text(variant.object.get("apiVersion"))
        choice = choose_schema(api_version, ref, self._schemas, server)
        if choice.is_assumed and choice.definition and choice.definition.release:
            self._assumed.add(choice.definition.release)
        if choice.fault is not None and choice.fault.finding is NO_SCHEMA:
            version = api_version.rpartition("/")[2]
            versions = self._rendered.hub.catalogue.kind(ref.group, ref.kind).versions
            if versions and version not in versions:
                yield variant, (report_unheard_version(version, ref, versions),)

    @memoised
    def _check_object(
        self, variant: Variant, server: Server
    ) -> tuple[SlottedObject | tuple[Fault, ...], tuple[_FaultyObject, ...]]:
        """Return an object's faults, or a check if it has slots; and faults about its version."""
        context = (variant.object, variant.ref, self._schemas, server)
        is_slotted = bool(slots.slots_in(variant.object))
        checked = SlottedObject(*context) if is_slotted else validate(*context)
        return checked, (*self._check_choice(variant, server),)

    def results(self) -> tuple[Result, ...]:
        """Return all findings so far, each once for all spokes that share it."""
        about_servers = merge_occurrences(self._about_servers)
        return (
            *_check_consumers(self._rendered),
            *self._schemas.results,
            *merge_occurrences(with_values(self._found)),
            *_join_placeholders(merge_occurrences(with_values(self._placeholders))),
            # Finding a line costs a parse, so only the first spoke of each finding is located.
            *(
                replace(result, origin=self._rendered.bundles[result.spokes[0]].spoke.origin)
                for result in about_servers
            ),
            *self._report_without_crd(),
        )

    def gaps(self) -> SchemaGaps:
        """Return the kinds without a CRD, and the releases whose CRDs were assumed."""
        catalogue = self._rendered.hub.catalogue
        unvalidated = (
            Unvalidated(kind, kind_name(group, catalogue.kind(group, kind).plural), len(faults))
            for (group, kind), faults in sorted(self._without_crd.items(), key=itemgetter(0))
        )
        return SchemaGaps(tuple(unvalidated), tuple(sorted(self._assumed)))

    def _locate(self, fault: Fault, variant: Variant, history: Callable[[], History]) -> Result:
        """Return the finding of a fault, at the line that set the field, possibly in an override.

        Spokes that share a fault get the identical finding.
        """
        key = (variant, fault)
        if key not in self._results:
            if fault.origin is not None:
                self._results[key] = fault.result(None, fault.origin)
            else:
                origin = history().source(fault.field).origin
                self._results[key] = fault.result(variant.manifest.ref, origin)
        return self._results[key]

    def _report_without_crd(self) -> Iterator[Result]:
        for (group, kind), faults in sorted(self._without_crd.items(), key=itemgetter(0)):
            yield NO_SCHEMA.result(
                f"no CRD of {kind_name(group, kind)} is at hand: {len(faults):,} of its objects "
                "were not validated",
                cure=faults[0].cure,
            )


def _is_open(fault: Fault, data: Json) -> bool:
    """Return whether an invalid value contains a placeholder of another tool, such as `${A}`."""
    is_refused = fault.finding.severity is Severity.ERROR and len(fault.field) > 1
    # A rule about two fields, or a choice of forms, is reported at the mapping that has them.
    return is_refused and "${" in str(read_value(data, fault.field))


def _join_placeholders(results: Sequence[Result]) -> Iterator[Result]:
    """Yield one finding for all invalid placeholders, as they have one cause and one fix."""
    if not results:
        return
    first, *others = results
    every = dict.fromkeys(f"{item.resource} {item.field}" for item in results)
    # A rule about a mapping refuses the value that is refused itself.
    outer = {text[: match.start()] for text in every for match in re.finditer(r"[.\[]", text)}
    fields = [text for text in every if text not in outer]
    yield PLACEHOLDERS.result(
        f"{count(len(fields), 'value')} can't be a placeholder: {listed(fields)}",
        cure=f"import what they are replaced with: {RENDERED_FIRST}\n"
        "what differs between clusters is a value of the spokes in the placement",
        resource=first.resource,
        field=first.field,
        origin=first.origin,
        spokes=tuple(sorted({spoke for item in results for spoke in item.spokes})),
        also=tuple(item.resource for item in others if item.resource is not None),
    )


def _check_consumers(rendered: Rendered) -> Iterator[Result]:
    """Yield the findings about consumers' objects that the published schemas refuse."""
    schemas_by_face: dict[int, Schemas] = {}
    for copy in rendered.contribution.copies.values():
        if copy.face is None:
            continue
        # By identity: all copies of one published kind have the same schema object.
        schemas = schemas_by_face.get(id(copy.face))
        if schemas is None:
            ref = copy.source.ref
            crd = [(copy.face, copy.published.origin)]
            schemas = read_schemas((), crd, {(ref.group, ref.kind)})
            schemas_by_face[id(copy.face)] = schemas
        for fault in validate(copy.source.object, copy.source.ref, schemas):
            if fault.finding is not NO_SCHEMA:
                origin = fault.origin or hub_line(copy.source, fault.field)
                yield fault.result(copy.source.ref, origin)


def read_shipped_schemas(rendered: Rendered, crd_files: Files) -> Schemas:
    """Return the CRDs of the kinds that spokes get, from files and from the hub."""
    shipped = {
        (variant.ref.group, variant.ref.kind)
        for blueprint, _ in sharing(rendered.bundles.values())
        for variant in blueprint.variants
    }
    crds = [(manifest.object, manifest.origin) for manifest in rendered.hub.crds]
    return read_schemas(crd_files, crds, shipped, rendered.settings.crd_releases)
