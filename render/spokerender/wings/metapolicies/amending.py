"""Apply the edits that the metapolicies of a definition request on a spoke, or refuse them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from spokerender.findings.codes import metapolicies as codes
from spokerender.findings.results import Result
from spokerender.formats.patching import PatchProblem, merge
from spokerender.model import Edit, FieldPath, Manifest, Ref, identity, shown
from spokerender.model.refs import GroupKind
from spokerender.model.shapes import Json, list_leaves
from spokerender.rendering.values.stages import Amendment
from spokerender.wings.metapolicies.functions import (
    ChangeObject,
    CreateObject,
    RemoveObject,
    ReportFinding,
    RequestedEdit,
)
from spokerender.wings.metapolicies.shared_topology import SharedTopology


class EditRequest(Struct, frozen=True, eq=False):
    """The edits of one metapolicy; `name` is its reference in the hub's files."""

    manifest: Manifest
    name: Ref
    edits: Sequence[RequestedEdit]

    def describe(self, reason: str) -> str:
        """Return the origin of a field for `explain`: the metapolicy and its reason."""
        return f"{self.name}: {reason}" if reason else str(self.name)

    def make_edit(self, reason: str, before: Mapping[str, Any] = {}, patch: Json = None) -> Edit:
        """Return the edit of an object; with an empty `before`, the edit creates the object."""
        how = self.describe(reason)
        return Edit(how, before, lambda: self.manifest.origin, patch, by=self.name)


_RequestedChange = tuple[EditRequest, ChangeObject]
"""A request, and one of the changes in it."""


class AmendmentBuilder:
    """Builds an amendment: a spoke's objects as changed, removed or created by one definition."""

    def __init__(
        self,
        shared: SharedTopology,
        writes: frozenset[GroupKind],
        not_shipped: dict[int, str],
    ) -> None:
        """Start; `not_shipped` has, by index in `shared`, metapolicies that ship only if changed.

        Each value is the reason why the metapolicy does not ship if it is unchanged.
        """
        self._shared, self._given, self._writes = shared, shared.given, writes
        self._results: list[Result] = []
        self._created: dict[Ref, Manifest] = {}
        self._edited: dict[int, Manifest] = {}
        self._removed: dict[int, str] = {}
        self._not_shipped = not_shipped

    def build(self, requests: Iterable[EditRequest]) -> Amendment:
        """Return an amendment that fulfils the requests; removals win over changes."""
        changes_by_index: dict[int, list[_RequestedChange]] = {}
        for request in requests:
            for edit in request.edits:
                if isinstance(edit, CreateObject):
                    self._create(request, edit)
                elif isinstance(edit, ReportFinding):
                    self._report(request, edit)
                elif (index := self._find_target(request, edit)) is not None:
                    if isinstance(edit, RemoveObject):
                        self._removed[index] = request.describe(edit.reason)
                    else:
                        changes_by_index.setdefault(index, []).append((request, edit))
        for index, changes in sorted(changes_by_index.items()):
            if index not in self._removed:
                self._change(index, changes)
        created = tuple(self._created.values())
        left = self._not_shipped.items()
        removed = {index: reason for index, reason in left if index not in changes_by_index}
        removed |= self._removed
        return Amendment(self._edited, removed, created, tuple(self._results))

    def _report(self, request: EditRequest, report: ReportFinding) -> None:
        """Add a finding about the metapolicy of a request."""
        result = report.finding.result(
            report.message,
            cure=report.cure,
            resource=request.name,
            field=report.field,
            origin=request.manifest.origin,
            severity=report.severity,
        )
        self._results.append(result)

    def _find_target(self, request: EditRequest, edit: ChangeObject | RemoveObject) -> int | None:
        index = self._shared.by_ref.get(edit.target)
        if not edit.target.name:
            message = f"it changes a {edit.target.kind} without a name: no object of a spoke"
            cure = "take an object that the spoke has, such as one of self.findGateways()"
            self._report(request, ReportFinding(codes.NOT_CHANGED, message, cure))
        elif index is None:
            message = f"{edit.target} can't be changed: it is not rendered for this spoke"
            self._report(request, ReportFinding(codes.NOT_CHANGED, message, "add it to the hub"))
        elif not self._may_write(request, edit.target):
            return None
        return index

    def _may_write(self, request: EditRequest, ref: Ref) -> bool:
        if (ref.group, ref.kind) in self._writes:
            return True
        message = f"the function writes {ref}, a kind that its definition does not declare"
        cure = f"add {{group: {ref.group}, kind: {ref.kind}}} to spec.writes"
        self._report(request, ReportFinding(codes.NOT_DECLARED, message, cure))
        return False

    def _create(self, request: EditRequest, edit: CreateObject) -> None:
        data = self._set_namespace(edit.object, request.manifest.ref.namespace)
        ref = identity(data)
        if ref is None or not ref.kind or not ref.name:
            message = "an object that it creates has no apiVersion, kind or metadata.name"
            self._report(request, ReportFinding(codes.NOT_MADE, message, "correct the definition"))
            return
        if not self._may_write(request, ref):
            return
        existing = self._created.get(ref)
        if existing is None and ref in self._shared.by_ref:
            existing = self._given.objects[self._shared.by_ref[ref]]
        if existing is not None:
            message = f"it creates {ref}, which exists already: {existing.origin}"
            cure = "rename or remove one of the two"
            self._report(request, ReportFinding(codes.MADE_TWICE, message, cure))
            return
        self._created[ref] = Manifest.made_by(request.make_edit(edit.reason), ref, data)

    def _set_namespace(self, data: dict[str, Any], namespace: str) -> dict[str, Any]:
        """Return an object with `namespace` added, if it needs a namespace and has none."""
        metadata, ref = data.get("metadata"), identity(data)
        if ref is None or not isinstance(metadata, dict) or metadata.get("namespace"):
            return data
        if not namespace or not self._shared.kind(ref).namespaced:
            return data
        rest = {key: value for key, value in metadata.items() if key not in ("name", "namespace")}
        name = {"name": metadata.get("name"), "namespace": namespace}
        return {**data, "metadata": {**name, **rest}}

    def _change(self, index: int, changes: list[_RequestedChange]) -> None:
        manifest = self._given.objects[index]
        earlier = [
            # The edit that created the object has an empty `before`: no change, so no conflict.
            (edit.by, edit.patch)
            for edit in manifest.edits
            if edit.by is not None and edit.before
        ]
        conflicts = list(_find_conflicts(changes, earlier))
        if not conflicts:
            self._apply_all(index, changes)
        elif all(change.copies for _, change in changes) and not earlier:
            self._distribute(index, manifest, changes)
        else:
            cure = "let the two agree, or let one of them leave the field alone"
            self._refuse(manifest, conflicts, cure)

    def _apply_all(self, index: int, changes: Iterable[_RequestedChange]) -> None:
        for request, change in changes:
            manifest = self._edited.get(index, self._given.objects[index])
            self._edited[index] = self._apply(manifest, request, change)

    def _apply(self, manifest: Manifest, request: EditRequest, change: ChangeObject) -> Manifest:
        try:
            data = merge(manifest.object, change.merge)
        except PatchProblem as problem:
            self._report(request, ReportFinding(codes.NOT_CHANGED, str(problem)))
            return manifest
        if identity(data) != identity(manifest.object):
            message = f"it changes the kind, the name or the namespace of {manifest.ref}"
            cure = "create another object"
            self._report(request, ReportFinding(codes.NOT_CHANGED, message, cure))
            return manifest
        # `explain` must not show a change that changes nothing.
        if data == manifest.object:
            return manifest
        edit = request.make_edit(change.reason, manifest.object, change.merge)
        return manifest.edited(manifest.ref, data, edit)

    def _distribute(self, index: int, manifest: Manifest, changes: list[_RequestedChange]) -> None:
        """Make a changed copy of a policy for each more specific target that metapolicies have.

        Metapolicies on the policy's own target change the policy itself. If there are none, those
        on the target's ancestors change it, since the nearest metapolicy counts.
        """
        targets = [ref.whole for ref in self._shared.targets_of(manifest.ref)]
        above = {level for ref in targets for level in self._shared.levels(ref)} - {*targets}
        # None stands for the metapolicies above.
        groups: dict[Ref | None, list[_RequestedChange]] = {}
        for item in changes:
            metapolicy = item[0].manifest.ref
            (target,) = [ref.whole for ref in self._shared.targets_of(metapolicy)][:1]
            key = manifest.ref if target in targets else None if target in above else target
            groups.setdefault(key, []).append(item)
        if manifest.ref in groups:
            groups.pop(None, None)
        for key, group in groups.items():
            conflicts = list(_find_conflicts(group, ()))
            self._refuse(manifest, conflicts, "two on one target must agree: keep one of them")
            if conflicts:
                continue
            if key in (None, manifest.ref):
                self._apply_all(index, group)
            else:
                self._create_copy(manifest, group)

    def _refuse(
        self,
        manifest: Manifest,
        conflicts: Iterable[tuple[EditRequest, FieldPath, Ref]],
        cure: str,
    ) -> None:
        for request, path, other in conflicts:
            message = f"{manifest.ref}: {other} writes a different value into {shown(path)}"
            self._report(request, ReportFinding(codes.WRITTEN_TWICE, message, cure))

    def _create_copy(self, manifest: Manifest, changes: list[_RequestedChange]) -> None:
        request, _ = changes[0]
        target = dict(request.manifest.object["spec"].get("targetRef") or {})
        target.pop("sectionName", None)
        name = f"{manifest.ref.name}-{target.get('name', '')}"
        namespace = request.manifest.ref.namespace
        metadata = {**manifest.object["metadata"], "name": name, "namespace": namespace}
        spec = {**manifest.object["spec"], "targetRef": target}
        data = {**manifest.object, "metadata": metadata, "spec": spec}
        for _, change in changes:
            data = merge(data, change.merge)
        self._create(request, CreateObject(data, f"a copy of {manifest.ref} for its own target"))


def _find_conflicts(
    changes: Sequence[_RequestedChange], earlier: Sequence[tuple[Ref, Any]]
) -> Iterator[tuple[EditRequest, FieldPath, Ref]]:
    """Yield each request whose value for a field differs from another metapolicy's value.

    `earlier` has the patches of the definitions that ran before, each with its metapolicy. A result
    has the request, the field, and the other metapolicy.
    """
    writes: dict[FieldPath, tuple[Any, Ref]] = {}
    for by, patch in earlier:
        writes.update((path, (value, by)) for path, value in list_leaves(patch))
    for request, change in changes:
        for path, value in list_leaves(change.merge):
            written, by = writes.setdefault(path, (value, request.name))
            if written != value:
                yield request, path, by
