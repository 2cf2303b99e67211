"""From the edits that metapolicies ask for to objects: made, changed, taken out, or refused."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec import Struct

from spokerender.findings.codes.metapolicies import (
    MADE_TWICE,
    NOT_CHANGED,
    NOT_DECLARED,
    NOT_MADE,
    WRITTEN_TWICE,
)
from spokerender.findings.results import FindingKind, Result
from spokerender.formats.patching import PatchProblem, merge
from spokerender.kinds import Catalogue
from spokerender.model import Edit, FieldPath, Manifest, Place, Ref, identity, shown
from spokerender.rendering.values.stages import Amendment, GroupKind
from spokerender.wings.metapolicies.model import Change, Create, Remove, Told
from spokerender.wings.metapolicies.model import Edit as Asked
from spokerender.wings.metapolicies.seen import Seen


class Written(Edit, frozen=True, eq=False, kw_only=True):
    """An edit that a metapolicy asked for; `by` is the metapolicy."""

    by: Ref


class Request(Struct, frozen=True, eq=False):
    """What one metapolicy asks for. `name` is what its author calls it."""

    manifest: Manifest
    name: Ref
    edits: Sequence[Asked]

    @property
    def place(self) -> Place:
        """Where it is written."""
        return lambda: self.manifest.origin

    def how(self, reason: str) -> str:
        """Who gave a field its value, and why."""
        return f"{self.name}: {reason}" if reason else str(self.name)

    def result(self, kind: FindingKind, message: str, cure: str = "") -> Result:
        """A finding about it."""
        return kind.result(message, cure=cure, resource=self.name, origin=self.manifest.origin)


class _Wish(Struct, frozen=True, eq=False):
    """A change that a metapolicy wants."""

    request: Request
    change: Change


class Composer:
    """Carries out what the metapolicies of one definition ask for on a spoke."""

    def __init__(
        self,
        seen: Seen,
        catalogue: Catalogue,
        writes: frozenset[GroupKind],
        stays: dict[int, str],
    ) -> None:
        """`stays` are the metapolicies themselves, and why they stay behind."""
        self._seen, self._given = seen, seen.given
        self._catalogue, self._writes = catalogue, writes
        self._by_ref = seen.by_ref
        self._results: list[Result] = []
        self._made: dict[Ref, tuple[Manifest, Request]] = {}
        self._edited: dict[int, Manifest] = {}
        self._removed: dict[int, str] = dict(stays)

    def amendment(self, requests: Iterable[Request]) -> Amendment:
        """What becomes of the objects."""
        wishes: dict[int, list[_Wish]] = {}
        for request in requests:
            for edit in request.edits:
                if isinstance(edit, Create):
                    self._create(request, edit)
                elif isinstance(edit, Told):
                    self._results.append(_told(request, edit))
                elif (index := self._target(request, edit)) is not None:
                    if isinstance(edit, Remove):
                        self._removed[index] = request.how(edit.reason)
                    else:
                        wishes.setdefault(index, []).append(_Wish(request, edit))
        for index, wanted in sorted(wishes.items()):
            if index not in self._removed:
                self._change(index, wanted)
        made = tuple(manifest for manifest, _ in self._made.values())
        return Amendment(self._edited, self._removed, made, tuple(self._results))

    def _target(self, request: Request, edit: Change | Remove) -> int | None:
        index = self._by_ref.get(edit.target)
        if index is None:
            message = f"{edit.target} is not rendered here, so it can't be changed"
            self._results.append(request.result(NOT_CHANGED, message, "have it in the hub"))
        elif not self._may_write(request, edit.target):
            return None
        return index

    def _may_write(self, request: Request, ref: Ref) -> bool:
        if (ref.group, ref.kind) in self._writes:
            return True
        message = f"it writes {ref}, and its definition does not declare the kind"
        cure = f"add {{group: {ref.group}, kind: {ref.kind}}} to spec.writes"
        self._results.append(request.result(NOT_DECLARED, message, cure))
        return False

    def _create(self, request: Request, edit: Create) -> None:
        data = self._completed(edit.object, request.manifest.ref.namespace)
        ref = identity(data)
        if ref is None or not ref.kind or not ref.name:
            message = "it makes an object without apiVersion, kind or metadata.name"
            self._results.append(request.result(NOT_MADE, message, "correct the definition"))
            return
        if not self._may_write(request, ref):
            return
        there = self._given.objects[self._by_ref[ref]] if ref in self._by_ref else None
        if ref in self._made:
            there = self._made[ref][0]
        if there is not None:
            message = f"it makes {ref}, which is there already: {there.origin}"
            cure = "rename or remove one of the two"
            self._results.append(request.result(MADE_TWICE, message, cure))
            return
        manifest = Manifest.made(ref, data, request.how(edit.reason), request.place)
        self._made[ref] = manifest, request

    def _completed(self, data: dict[str, Any], namespace: str) -> dict[str, Any]:
        """The object, in the metapolicy's namespace where it says none and its kind has any."""
        metadata, found = data.get("metadata"), identity(data)
        if found is None or not isinstance(metadata, dict) or metadata.get("namespace"):
            return data
        if not namespace or not self._catalogue.kind(found.group, found.kind).namespaced:
            return data
        rest = {key: value for key, value in metadata.items() if key not in ("name", "namespace")}
        name = {"name": metadata.get("name"), "namespace": namespace}
        return {**data, "metadata": {**name, **rest}}

    def _change(self, index: int, wishes: list[_Wish]) -> None:
        manifest = self._given.objects[index]
        before = [(edit.by, edit.patch) for edit in manifest.edits if isinstance(edit, Written)]
        differing = list(_differing(wishes, before))
        if not differing:
            for wish in wishes:
                self._edited[index] = self._applied(self._edited.get(index, manifest), wish)
            return
        if all(wish.change.copies for wish in wishes) and not before:
            self._copied(index, manifest, wishes)
            return
        cure = "let the two agree, or let one of them leave the field alone"
        self._refuse(manifest, differing, cure)

    def _applied(self, manifest: Manifest, wish: _Wish) -> Manifest:
        request, change = wish.request, wish.change
        try:
            data = merge(manifest.object, change.merge)
        except PatchProblem as problem:
            self._results.append(request.result(NOT_CHANGED, str(problem)))
            return manifest
        if identity(data) != identity(manifest.object):
            message = f"it changes the identity of {manifest.ref}"
            self._results.append(request.result(NOT_CHANGED, message, "make another object"))
            return manifest
        if data == manifest.object:
            return manifest
        how = request.how(change.reason)
        edit = Written(how, manifest.object, request.place, change.merge, by=request.name)
        return manifest.edited(manifest.ref, data, edit)

    def _copied(self, index: int, manifest: Manifest, wishes: list[_Wish]) -> None:
        """Who is on the object's own target writes into it; who is below it, into a copy.

        Who is above writes into it where nobody is on the target: the nearest one counts.
        """
        own = [ref.whole for ref in self._seen.targets_of(manifest.ref)]
        above = {level for ref in own for level in self._seen.levels(ref)} - {*own}
        groups: dict[Ref | None, list[_Wish]] = {}
        for wish in wishes:
            (target,) = [ref.whole for ref in self._seen.targets_of(wish.request.manifest.ref)][:1]
            key = manifest.ref if target in own else None if target in above else target
            groups.setdefault(key, []).append(wish)
        if manifest.ref in groups:
            groups.pop(None, None)
        for key, group in groups.items():
            differing = list(_differing(group, ()))
            self._refuse(manifest, differing, "two on one target must agree: keep one of them")
            if differing:
                continue
            if key in (None, manifest.ref):
                for wish in group:
                    self._edited[index] = self._applied(self._edited.get(index, manifest), wish)
            else:
                self._copy(manifest, group)

    def _refuse(
        self, manifest: Manifest, differing: Iterable[tuple[_Wish, FieldPath, Ref]], cure: str
    ) -> None:
        for wish, path, other in differing:
            message = f"{manifest.ref}: {shown(path)} is given another value by {other}"
            self._results.append(wish.request.result(WRITTEN_TWICE, message, cure))

    def _copy(self, manifest: Manifest, group: list[_Wish]) -> None:
        request = group[0].request
        target = dict(request.manifest.object["spec"].get("targetRef") or {})
        target.pop("sectionName", None)
        name = f"{manifest.ref.name}-{target.get('name', '')}"
        namespace = request.manifest.ref.namespace
        metadata = {**manifest.object["metadata"], "name": name, "namespace": namespace}
        spec = {**manifest.object["spec"], "targetRef": target}
        data = {**manifest.object, "metadata": metadata, "spec": spec}
        for wish in group:
            data = merge(data, wish.change.merge)
        reason = f"a copy of {manifest.ref} for its own target"
        self._create(request, Create(data, reason))


def _differing(
    wishes: Sequence[_Wish], before: Sequence[tuple[Ref, Any]]
) -> Iterator[tuple[_Wish, FieldPath, Ref]]:
    """The fields that a metapolicy writes another value into than one before it."""
    known: dict[FieldPath, tuple[Any, Ref]] = {}
    for by, patch in before:
        known.update((path, (value, by)) for path, value in _leaves(patch))
    for wish in wishes:
        for path, value in _leaves(wish.change.merge):
            other = known.setdefault(path, (value, wish.request.name))
            if other[0] != value:
                yield wish, path, other[1]


def _leaves(patch: Any, path: FieldPath = ()) -> Iterator[tuple[FieldPath, Any]]:  # noqa: ANN401
    if isinstance(patch, dict) and patch:
        for key, value in patch.items():
            yield from _leaves(value, (*path, key))
    else:
        yield path, patch


def _told(request: Request, told: Told) -> Result:
    return told.finding.result(
        told.message,
        cure=told.cure,
        resource=request.name,
        field=told.field,
        origin=request.manifest.origin,
        severity=told.severity,
    )
