"""The fleet's tree: each variant's text is made once, each spoke's bytes on demand.

Nothing here holds more than one spoke's bytes: a tree of a million files is asked for
folder by folder, twice if need be, which costs less than keeping it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from render import codes, layout, slots, yamlio
from render.bundles import Bundle, Case, Variant
from render.config import Fleet
from render.delivery import deliver
from render.errors import InputError
from render.model import Origin, Ref
from render.namespaces import namespace_object
from render.ownership import HEADER
from render.results import Result
from render.retarget.cleaning import cleaned

FLEET_FOLDER = "_fleet"


@dataclass(frozen=True, slots=True, eq=False)
class _Text:
    """A variant's text, and what an engine could not carry in it."""

    template: yamlio.TextTemplate
    fault: Result | None


@dataclass(frozen=True, slots=True, eq=False)
class _Entry:
    """One file of a case: its path and its text, either of which may hold slots."""

    path: str
    text: yamlio.TextTemplate
    has_slots: bool


@dataclass(frozen=True, slots=True, eq=False)
class _Files:
    """The files of a case; `kustomization` is ready where no path holds a slot."""

    entries: tuple[_Entry, ...]
    kustomization: bytes | None
    faults: tuple[Result, ...]


class FleetTree:
    """What shall be on disk (`render.plan.TreeSource`): spokes' folders, and the fleet's own."""

    def __init__(
        self,
        bundles: Mapping[str, Bundle],
        *,
        fleet_files: Mapping[str, bytes],
        one_file: bool,
        namespaces: Mapping[str, dict[str, Any]] | None,
    ) -> None:
        """`namespaces` are the hub's Namespaces, by name, if they are to be rendered."""
        self._bundles = bundles
        self._fleet_files = fleet_files
        self._one_file = one_file
        self._namespaces = namespaces
        self._texts: dict[int, _Text] = {}
        self._files: dict[int, _Files] = {}
        self.folders = (*((FLEET_FOLDER,) if fleet_files else ()), *bundles)

    def results(self) -> tuple[Result, ...]:
        """Strings that no engine could carry. Makes every text, before processes share the work."""
        found: dict[Result, list[str]] = {}
        for name, bundle in self._bundles.items():
            for result in self._unprintable(bundle):
                found.setdefault(result, []).append(name)
        return tuple(replace(result, spokes=tuple(names)) for result, names in found.items())

    def _unprintable(self, bundle: Bundle) -> Iterator[Result]:
        yield from self._files_of(bundle.case).faults
        for value in bundle.values.values():
            problem = _text_problem(value) if isinstance(value, str) else None
            if problem:
                yield _unsupported(problem, None, bundle.spoke.origin)

    def files(self, folder: str) -> dict[str, bytes]:
        """The folder's files by relative path, header and all."""
        if folder == FLEET_FOLDER:
            return dict(self._fleet_files)
        bundle = self._bundles[folder]
        files = self._files_of(bundle.case)
        memo: dict[str, bytes] = {}
        rendered = {
            (
                entry.path
                if not entry.has_slots
                else str(slots.fill_text(entry.path, bundle.values))
            ): entry.text.fill(bundle.values, memo)
            for entry in files.entries
        }
        if self._one_file:
            documents = layout.one_file(list(rendered.items())) if rendered else b""
            rendered = {layout.ALL_IN_ONE: documents} if rendered else {}
        kustomization = files.kustomization or layout.kustomization(rendered)
        return {layout.KUSTOMIZATION: kustomization, **rendered}

    def _files_of(self, case: Case) -> _Files:
        known = self._files.get(id(case))
        if known is None:
            known = self._files[id(case)] = self._compile(case)
        return known

    def _compile(self, case: Case) -> _Files:
        entries = [_entry(variant.ref, self._text(variant).template) for variant in case.variants]
        if self._namespaces is not None:
            entries += [
                _entry(Ref("", "Namespace", "", name), _template("", {}, self._namespace(name)))
                for name in {v.ref.namespace for v in case.variants if v.ref.namespace}
            ]
        entries.sort(key=lambda entry: entry.path)
        faults = tuple(
            fault for variant in case.variants if (fault := self._text(variant).fault) is not None
        )
        if any(entry.has_slots for entry in entries):
            return _Files(tuple(entries), None, faults)
        paths = [entry.path for entry in entries]
        listed = [layout.ALL_IN_ONE] if self._one_file and paths else paths
        return _Files(tuple(entries), layout.kustomization(listed), faults)

    def _namespace(self, name: str) -> dict[str, Any]:
        found = (self._namespaces or {}).get(name)
        return namespace_object(name, cleaned(found) if found else None)

    def _text(self, variant: Variant) -> _Text:
        """The variant's text: spliced into the hub's own, so that its comments survive."""
        known = self._texts.get(id(variant))
        if known is None:
            source = variant.manifest
            template = _template(source.text, source.object, variant.object)
            known = self._texts[id(variant)] = _Text(template, _fault(variant))
        return known


def fleet_folder(
    fleet: Fleet, spokes: Sequence[str], templates: Mapping[str, str]
) -> tuple[Mapping[str, bytes], tuple[Result, ...]]:
    """The files about the fleet, applied to no spoke: delivery wiring, where it is asked for."""
    try:
        made = deliver(fleet.spec.delivery, spokes, fleet.spec.output, templates)
    except InputError as error:
        return {}, error.results
    return {
        path: HEADER + "---\n".join(yamlio.emit(document) for document in documents).encode()
        for path, documents in made.items()
    }, ()


def _entry(ref: Ref, text: yamlio.TextTemplate) -> _Entry:
    path = layout.path_of(ref)
    return _Entry(path, text, slots.has_slot(path))


def _template(source: str, old: Any, new: Any) -> yamlio.TextTemplate:  # noqa: ANN401
    text = yamlio.compose(source, old, new) if source else yamlio.emit(new)
    return yamlio.compile_text(HEADER.decode() + text)


def _fault(variant: Variant) -> Result | None:
    texts = map(_text_problem, slots.strings_in(variant.object))
    keys = map(_key_problem, slots.keys_in(variant.object))
    problem = next(filter(None, chain(texts, keys)), None)
    if problem is None:
        return None
    return _unsupported(problem, variant.manifest.ref, variant.manifest.origin)


def _text_problem(text: str) -> str | None:
    name = yamlio.unsupported(text)
    return f"a string has the character {name}, which kustomize can't carry" if name else None


def _key_problem(key: str) -> str | None:
    problem = yamlio.unsupported_key(key)
    return f'the key "{key[:40]}": {problem}' if problem else None


def _unsupported(problem: str, ref: Ref | None, origin: Origin) -> Result:
    return codes.UNPRINTABLE.result(
        problem,
        cure="write it in another way, or encode the text",
        resource=ref,
        origin=origin,
    )
