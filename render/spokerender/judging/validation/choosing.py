"""Chooses the CRD that validates an object on a spoke.

The project's own CRDs of a kind come first, if one fits the spoke; then the carried releases that
`crds` in fleet.yaml or `gatewayAPI` of the spoke names. If there are neither, the newest carried
release that serves the version is assumed, and fields that this release lacks get warnings. For the
Gateway API, the experimental channel is assumed, as it has all fields of the standard channel.
"""

from collections.abc import Sequence
from functools import cache

from msgspec import Struct

from spokerender.findings.codes import attachment as codes
from spokerender.findings.phrasing import did_you_mean
from spokerender.findings.results import Fault
from spokerender.judging.validation.bundled import BundledKind, find_bundled
from spokerender.judging.validation.crds import (
    ANY_SERVER,
    CRD,
    Schemas,
    Server,
    VersionSchema,
    read_crd,
)
from spokerender.kinds.malformed import report_unheard_version
from spokerender.model import Origin, Ref, kind_name
from spokerender.model.releases import (
    GATEWAY_API_PRODUCT,
    BundledRelease,
    list_releases,
    release_order,
)

_MINOR = 2
"""How many numbers of a release are compared, as patch releases do not change fields."""


class SchemaChoice(Struct, frozen=True):
    """The CRD and schema that validate an object, or a fault if there is no such schema.

    `is_assumed` is True if neither project nor spoke named the release: the spoke may have another.
    """

    definition: CRD | None = None
    schema: VersionSchema | None = None
    fault: Fault | None = None
    is_assumed: bool = False


def choose_schema(api_version: str, ref: Ref, schemas: Schemas, server: Server) -> SchemaChoice:
    """Return the schema by which a spoke's API server validates objects of `api_version`."""
    version = api_version.rpartition("/")[2]
    own = schemas.definitions.get((ref.group, ref.kind), ())
    fitting = [item for item in own if _fits(item.bundle, item.channel, server)]
    # The project's own CRDs count before carried ones, whatever their release.
    if fitting:
        return _take_only(version, ref, fitting, server)
    bundled = find_bundled(ref.group, ref.kind)
    if bundled.product and (named := _list_named(bundled.product, schemas.picked, server)):
        carried = [_definition(bundled, release) for release in named if release in bundled.heads]
        if not carried:
            by = " and ".join(release.title for release in named)
            return SchemaChoice(fault=_report_not_served(version, ref, (), by))
        return _take_only(version, ref, carried, server)
    if own:
        message = f"no CRD of {ref.kind} is of {server}; there are: {', '.join(map(str, own))}"
        cure = "add the CRDs of that release, or correct `gatewayAPI` of the spoke"
        return SchemaChoice(fault=Fault(codes.ABSENT_CRD, message, cure))
    return _assume(version, ref, bundled, server)


def _list_named(
    product: str, picked: tuple[BundledRelease, ...], server: Server
) -> list[BundledRelease]:
    """Return the releases of a product that the project or spoke names, and that fit the spoke."""
    # `gatewayAPI` of a spoke says nothing about other products.
    declared = server if product == GATEWAY_API_PRODUCT else ANY_SERVER
    named = [
        release
        for release in picked
        if release.product == product and _fits(release.version, release.channel, declared)
    ]
    if not named and declared.bundle:
        carried = list_releases(product)
        # The newest of them, as a declaration may name a minor release alone.
        named = [item for item in carried if _fits(item.version, item.channel, declared)][-1:]
    return named


def _take_only(
    version: str, ref: Ref, fitting: Sequence[CRD], server: Server, *, is_assumed: bool = False
) -> SchemaChoice:
    """Return the schema from fitting CRDs, or a fault if they differ or lack the version."""
    definition = fitting[0]
    # The same CRD may be in several files.
    if not all(definition.is_same_as(other) for other in fitting[1:]):
        return SchemaChoice(fault=_report_ambiguous(ref, fitting, server))
    if version not in definition.versions:
        if definition.release is not None:
            by = definition.release.title
        else:
            by = str(server) if server != ANY_SERVER else "its CRD"
        fault = _report_not_served(version, ref, tuple(definition.versions), by)
        return SchemaChoice(definition, fault=fault)
    schema = definition.schema(version)
    if schema.constraints is None:
        message = f"the CRD of {ref.kind} has a schema that no API server takes: {schema.problem}"
        cure = "replace it with the CRD as its project releases it"
        fault = Fault(codes.BAD_CRD, message, cure, origin=definition.origin)
        return SchemaChoice(definition, fault=fault)
    return SchemaChoice(definition, schema, is_assumed=is_assumed)


def _assume(version: str, ref: Ref, bundled: BundledKind, server: Server) -> SchemaChoice:
    """Return the schema of the newest release in this package, or of a declared minor release."""
    declared = server if bundled.product == GATEWAY_API_PRODUCT else ANY_SERVER
    if not bundled.heads:
        return SchemaChoice(fault=_report_no_schema(ref))
    releases = [
        release
        for release in list_releases(bundled.product)
        if _fits(release.version, release.channel, Server("", declared.channel))
        and (
            not declared.bundle
            # Patch releases do not change fields.
            or release_order(release.version)[:_MINOR] == release_order(declared.bundle)[:_MINOR]
        )
    ]
    serving = [item for item in releases if item in bundled.heads and bundled.serves(item, version)]
    if serving:
        return _take_only(
            version, ref, [_definition(bundled, serving[-1])], server, is_assumed=True
        )
    if declared.bundle and releases:
        last = releases[-1]
        has = tuple(_definition(bundled, last).versions) if last in bundled.heads else ()
        return SchemaChoice(fault=_report_not_served(version, ref, has, str(declared)))
    if declared != ANY_SERVER:
        return SchemaChoice(fault=_report_no_schema(ref))
    newest = max(bundled.heads, key=lambda release: release_order(release.version))
    versions = tuple(_definition(bundled, newest).versions)
    return SchemaChoice(fault=report_unheard_version(version, ref, versions))


@cache
def _definition(bundled: BundledKind, release: BundledRelease) -> CRD:
    """Return a CRD of this package, compiled once."""
    return read_crd(bundled.crd(release), Origin(str(release)), release)


def _fits(bundle: str, channel: str, server: Server) -> bool:
    """Return whether a CRD fits a server; a CRD without bundle or channel fits every server."""
    pairs = ((server.bundle, bundle), (server.channel, channel))
    return all(not one or not other or _normalise(one) == _normalise(other) for one, other in pairs)


def _normalise(text: str) -> str:
    return text.removeprefix("v").lower()


def _report_no_schema(ref: Ref) -> Fault:
    message = f"there is no CRD of {ref.kind} ({ref.group or 'core'}) to validate it by"
    cure = "put it into the hub folder, or into a folder that `spec.crds` of fleet.yaml names"
    return Fault(codes.NO_SCHEMA, message, cure)


def _report_ambiguous(ref: Ref, fitting: Sequence[CRD], server: Server) -> Fault:
    message = f"several CRDs define {ref.kind}: {', '.join(map(str, fitting))}"
    if server != ANY_SERVER:
        message += f"; {server} is not enough to choose"
    cure = "say which of them the spoke runs, with `gatewayAPI: {bundle: …, channel: …}` on it"
    return Fault(codes.AMBIGUOUS_CRD, message, cure)


def _report_not_served(version: str, ref: Ref, has: tuple[str, ...], by: str) -> Fault:
    serves = f"only {', '.join(has)}" if has else "no version of it"
    message = f"{version} of {kind_name(ref.group, ref.kind)} is not served: {by} serves {serves}"
    hint = did_you_mean(version, has)
    cure = f"use {ref.group}/{has[0]}" if has else "leave it out, or upgrade the spoke"
    return Fault(codes.NOT_SERVED, message, cure or hint, ("apiVersion",))
