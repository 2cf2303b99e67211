"""Reads hub files into manifests, each with file, document and line."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, Self

from msgspec import Struct
from msgspec.structs import replace

from spokerender.findings.causes import missing
from spokerender.findings.codes import hub as codes
from spokerender.findings.phrasing import listed
from spokerender.findings.results import Result, Severity
from spokerender.formats.yamlio import reading
from spokerender.kinds.catalogue import Catalogue, KindAmendment
from spokerender.kinds.crds import CRD_KIND, find_name_fault, read_identity
from spokerender.kinds.kind import Kind
from spokerender.kinds.malformed import find_long_lists
from spokerender.kinds.marks import NO_MARKS, Marks
from spokerender.model import NAMESPACE
from spokerender.model.manifests import Manifest, Original
from spokerender.model.refs import GATEWAY_API, Origin, Ref, identity
from spokerender.model.shapes import as_mapping, is_list_of_objects, objects_of
from spokerender.model.sources import Files
from spokerender.topology.kustomizing import Kustomizations, is_kustomization, render_first
from spokerender.topology.objects import (
    LOCAL_CONFIG,
    find_object_faults,
    find_ref_fault,
    find_type_fault,
    is_local,
)

DEFAULT_NAMESPACE = "default"
# One search over the bytes of all files saves a question about every text of every object.
_ODD = re.compile(rb"[^\t\n\r -~]|\\|<<|[^\n]{1000}")


class Hub(Struct, frozen=True):
    """The objects of a hub in the order of their identities, and the known kinds."""

    manifests: tuple[Manifest, ...]
    catalogue: Catalogue
    results: tuple[Result, ...]
    is_plain: bool = False
    """True if all text is printable ASCII without escapes, merge keys and very long lines.

    False unless the hub was read from files in the usual way.
    """

    @property
    def crds(self) -> tuple[Manifest, ...]:
        """Return the CustomResourceDefinitions among the objects."""
        return tuple(manifest for manifest in self.manifests if manifest.ref.kind == CRD_KIND)

    def with_manifests(self, added: Iterable[Manifest], *, is_plain: bool = True) -> Self:
        """Return the hub with further objects, which are in none of its files."""
        more = tuple(added)
        if not more:
            return self
        # Everywhere else objects are taken to be in the order of their references.
        manifests = tuple(sorted((*self.manifests, *more), key=lambda m: m.ref))
        return replace(self, manifests=manifests, is_plain=self.is_plain and is_plain)

    def with_lines(self, results: Iterable[Result]) -> tuple[Result, ...]:
        """Return the findings; those about a field of an object with the field's line."""
        return _with_lines(results, (manifest.written for manifest in self.manifests))

    @property
    def namespaces(self) -> dict[str, dict[str, Any]]:
        """Return the Namespaces among the objects, by name."""
        return {
            manifest.ref.name: manifest.object
            for manifest in self.manifests
            if (manifest.ref.group, manifest.ref.kind) == NAMESPACE
        }


def _with_lines(
    results: Iterable[Result], written: Iterable[Original | None]
) -> tuple[Result, ...]:
    findings = tuple(results)
    if not any(result.field for result in findings):
        return findings
    from spokerender.topology.places import with_lines  # noqa: PLC0415  (start-up counts)

    return with_lines(findings, written)


def read_hub(
    files: Iterable[tuple[str, bytes]],
    policy_kinds: Iterable[KindAmendment] = (),
    crds: Iterable[Mapping[str, Any]] = (),
    marks: Marks = NO_MARKS,
    *,
    keeps_copies: bool = False,
) -> Hub:
    """Read the hub's files, given as path and bytes, in any order.

    All problems are in `results`; the manifests are those that could be read. A namespaced object
    without a namespace gets the namespace `default`, as with kubectl. `policy_kinds` are entries of
    fleet.yaml that change the table of kinds; `crds` define kinds, in addition to the CRDs among
    the objects; `marks` are annotations and labels of the delivery engines (Argo CD, Flux, OCM). If
    `keeps_copies`, objects with equal identities are all returned, without an error.
    """
    results: list[Result] = []
    # Sorted, so that the first of two equal objects does not depend on the order of reading.
    sources = sorted(files)
    kustomizations = Kustomizations(sources)
    # Patches look like objects with missing fields, so they must be known before objects are read.
    patches = kustomizations.patch_files
    objects = [
        item
        for path, data in sources
        for item in _objects(path, data, results, is_patch=path in patches)
    ]
    crds_of_hub = (item.object for item in objects if item.object["kind"] == CRD_KIND)
    # The hub's own CRDs decide which kinds are namespaced, so all objects are read before any
    # identity.
    catalogue = Catalogue.of([*crds_of_hub, *crds], policy_kinds, marks)
    read = (_manifest(item, catalogue, results) for item in objects)
    manifests = [manifest for manifest in read if manifest is not None]
    unique = manifests if keeps_copies else _unique(manifests, results)
    if not keeps_copies:  # else the caller chooses among the objects first
        # All of them: which of two objects of one identity is kept depends on their files.
        results += list_misread(manifests, kustomizations, catalogue)
    if not objects and not any(result.severity is Severity.ERROR for result in results):
        results.append(
            codes.EMPTY_HUB.result(
                "the hub has no object",
                cure="put Gateways and policies in the folder that `spec.hub` of fleet.yaml names",
            )
        )
    return Hub(
        manifests=tuple(sorted(unique, key=lambda m: m.ref)),
        catalogue=catalogue,
        results=_with_lines(results, objects),
        is_plain=not any(_ODD.search(data) for _, data in sources),
    )


def _objects(
    path: str, data: bytes, results: list[Result], *, is_patch: bool
) -> Iterator[Original]:
    if is_patch or is_kustomization(path):
        message = "kustomization files are not applied; the files beside it are read as they are"
        message = "it is a patch of a kustomization, which is not applied" if is_patch else message
        results.append(codes.SKIPPED_FILE.result(message, origin=Origin(path)))
        return
    documents, problems = reading.read(data, path)
    results += [
        codes.UNREADABLE.result(
            problem.message,
            cure=problem.cure,
            origin=Origin(path, line=problem.line, column=problem.column),
        )
        for problem in problems
    ]
    for document in documents:
        origin = Origin(path, document.index, document.line)
        if is_list_of_objects(document.value):
            # A List has one text for all its items; the lines of the items are looked up in it.
            offsets = reading.item_lines(document.text, len(document.value["items"]))
            for index, item in enumerate(document.value["items"]):
                offset = offsets[index] if index < len(offsets) else 0
                place = replace(origin, line=document.text_line + offset)
                written = Original(item, place, document.text, False, ("items", index))
                if _is_object(written, results):
                    yield written
            continue
        # Items of a List are never spliced, as the text belongs to all of them.
        written = Original(document.value, origin, document.text, document.spliceable)
        if _is_object(written, results):
            yield written


def _is_object(written: Original, results: list[Result]) -> bool:
    faults = [
        codes.NOT_AN_OBJECT.result(
            f"{problem}, so this is no Kubernetes object",
            cure="mend it, or move the file out of the hub folder",
            field=field,
            origin=written.origin,
        )
        for field, problem in find_object_faults(written.object)
    ]
    results += _with_lines(faults, [written])
    return not faults


def _manifest(item: Original, catalogue: Catalogue, results: list[Result]) -> Manifest | None:
    ref = identity(item.object)
    if ref is None:
        return None  # reported already: it is not an object
    kind = catalogue.kind(ref.group, ref.kind)
    if wrong := _wrong_type(item, ref, catalogue):
        results.append(wrong)
        return None
    # An unknown kind is only suspected to be misspelt, so its object is kept.
    if not catalogue.known(ref.group, ref.kind):
        results += _misspelt(item, ref, catalogue)
    if refused := list(_refused(item, ref, kind)):
        results += refused
        return None
    # Like the API server, which drops the namespace of a cluster-scoped object.
    if not kind.namespaced:
        return Manifest(replace(ref, namespace=""), item.object, item)
    if ref.namespace:
        return Manifest(ref, item.object, item)
    return Manifest(replace(ref, namespace=DEFAULT_NAMESPACE), item.object, item)


def list_misread(
    manifests: Sequence[Manifest], kustomizations: Kustomizations, catalogue: Catalogue
) -> Iterator[Result]:
    """Yield findings about kustomizations that nobody applies, and objects without a namespace."""
    if kustomized := kustomizations.report(manifests):
        yield kustomized
    without = {
        manifest.ref: manifest
        for manifest in sorted(manifests, key=lambda manifest: manifest.ref)
        if lacks_namespace(manifest.ref, manifest.object)
        and _is_placed_by_namespace(manifest.ref, catalogue)
    }
    if without:
        first, *others = without.values()
        refs = [manifest.ref for manifest in others]
        yield codes.NO_NAMESPACE.result(
            "not set: taken to be in `default`, as kubectl does"
            + (f"; so are {listed(refs)}" if refs else ""),
            cure="set it; where a kustomization sets it, take what that makes: "
            + render_first(str(PurePosixPath(first.origin.path).parent)),
            resource=first.ref,
            field="metadata.namespace",
            origin=first.origin,
            also=tuple(refs),
        )


def lacks_namespace(ref: Ref, data: Mapping[str, Any]) -> bool:
    """Return whether a namespaced object has no namespace in its file, so that it got `default`."""
    return bool(ref.namespace) and not data["metadata"].get("namespace")


def _is_placed_by_namespace(ref: Ref, catalogue: Catalogue) -> bool:
    """Return whether the namespace affects what an object attaches to, or what attaches to it."""
    kind = catalogue.kind(ref.group, ref.kind)
    is_known = catalogue.known(ref.group, ref.kind)
    return ref.group == GATEWAY_API or (is_known and bool(kind.references))


def _refused(item: Original, ref: Ref, kind: Kind) -> Iterator[Result]:
    """Yield the faults that make an object unusable: an invalid name, or a list too long."""
    if problem := find_ref_fault(ref):
        yield codes.BAD_NAME.result(
            problem,
            cure=_cure_name(ref),
            resource=ref,
            field=f"metadata.{'namespace' if problem.startswith('namespace') else 'name'}",
            origin=item.origin,
        )
    for fault in find_long_lists(kind, item.object):
        # Findings about references to it follow from this one.
        yield replace(fault.result(ref, item.origin), causes=(missing(ref),))


def _cure_name(ref: Ref) -> str:
    if "{" in ref.name + ref.namespace or "$" in ref.name + ref.namespace:
        return "write the name out: placeholders are not replaced here"
    return "give the object a name that an API server takes, here and wherever it is named"


def _wrong_type(item: Original, ref: Ref, catalogue: Catalogue) -> Result | None:
    field, wrong = find_type_fault(item.object["apiVersion"], ref.kind)
    cure = (
        "write it as its CRD or the reference of Kubernetes' API does"
        if field == "kind"
        else "write it as Kubernetes does: `v1` for the core group, group/version for others"
    )
    causes: tuple[str, ...] = ()
    if not wrong and ref.kind == CRD_KIND:
        field, wrong = find_name_fault(item.object)
    if not wrong and (spelling := catalogue.spelt(ref.group, ref.kind)):
        field, wrong = "kind", f'"{ref.kind}" is known only in another case'
        cure = f"write {spelling}: the case of a kind counts"
        causes = (missing(replace(ref, kind=spelling)),)
    if not wrong:
        return None
    return codes.BAD_TYPE.result(
        f"{field} {wrong}",
        cure=cure,
        resource=ref,
        field=field,
        origin=item.origin,
        causes=causes,
    )


def _misspelt(item: Original, ref: Ref, catalogue: Catalogue) -> Iterator[Result]:
    from spokerender.kinds.mistakes import find_meant  # noqa: PLC0415  (start-up counts)

    meant = find_meant(catalogue, ref.group, ref.kind, as_mapping(item.object.get("spec")))
    if meant is None:
        return
    is_group = meant.group != ref.group
    nearest = f"{meant.kind} of {meant.api_version}" if is_group else meant.kind
    yield codes.MISSPELT_KIND.result(
        f"no kind {ref.kind} of {ref.group or 'the core group'} is known",
        cure=f'did you mean "{nearest}"? If there is such a kind, add its CRD to the hub, or '
        "declare it under policyKinds in fleet.yaml",
        resource=ref,
        field="apiVersion" if is_group else "kind",
        origin=item.origin,
        causes=(missing(replace(ref, group=meant.group, kind=meant.kind)),),
    )


def _unique(manifests: list[Manifest], results: list[Result]) -> list[Manifest]:
    first: dict[Ref, Manifest] = {}
    for manifest in manifests:
        # The first one stays, in the order of files, which is that of their paths.
        other = first.setdefault(manifest.ref, manifest)
        if other is not manifest:
            results.append(
                codes.DUPLICATE.result(
                    f"already defined at {other.origin}",
                    cure="keep one of the two",
                    resource=manifest.ref,
                    field="metadata.name",
                    origin=manifest.origin,
                )
            )
    return list(first.values())


def is_local_config(manifest: Manifest) -> bool:
    """Return whether the object is input of a tool, which must reach no cluster (KRM functions)."""
    value = (manifest.object["metadata"].get("annotations") or {}).get(LOCAL_CONFIG)
    return isinstance(value, str) and is_local(value)


Identity = tuple[str, str]
"""The group and kind that a CRD defines."""


def find_definitions(
    files: Files,
    kinds: Collection[Identity],
    identify: Callable[[Mapping[str, Any]], Identity] = read_identity,
) -> Iterator[tuple[Mapping[str, Any], Origin]]:
    """Yield the CRDs of the given kinds; parse only the files that contain the kinds' names.

    `identify` returns the key that is compared with `kinds`: by default the CRD's group and kind.
    """
    # As bytes, since files are searched before they are decoded.
    words = [(group.encode(), kind.encode()) for group, kind in kinds]
    for path, data in sorted(files) if words else ():
        # A search for two words is much faster than parsing large CRDs.
        if not any(group in data and kind in data for group, kind in words):
            continue
        for document in reading.read(data, path)[0]:
            for item in objects_of(document.value):
                if item.get("kind") == CRD_KIND and identify(item) in kinds:
                    yield item, Origin(path, document.index, document.line)


def read_hub_with_crds(
    files: Files,
    policy_kinds: Iterable[KindAmendment],
    crd_files: Files,
    marks: Marks = NO_MARKS,
) -> Hub:
    """Read a hub; kinds that its files don't define are searched in the CRDs of `crd_files`."""
    configured = tuple(policy_kinds)
    hub = read_hub(files, configured, marks=marks)
    unknown = {
        (manifest.ref.group, manifest.ref.kind)
        for manifest in hub.manifests
        if not hub.catalogue.serves(manifest.ref.group, manifest.ref.kind, manifest.version)
    }
    crds = [crd for crd, _ in find_definitions(crd_files, unknown)]
    # Read again only if CRDs were found, since a catalogue decides how each object is read.
    return read_hub(files, configured, crds, marks) if crds else hub
