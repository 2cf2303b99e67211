"""The trees of spokes: the text of each variant is made once, the bytes of a spoke on demand.

Nothing here holds more than one spoke's bytes: a tree of a million files is read folder by folder,
twice if need be, which costs less than keeping it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import chain
from typing import Any

from msgspec import Struct

from spokerender.findings.codes.shipping import UNPRINTABLE
from spokerender.findings.occurrences import Occurrence, merge_occurrences
from spokerender.findings.results import Result
from spokerender.formats import yamlio
from spokerender.kinds.marks import NO_MARKS, Marks
from spokerender.model import Origin, Original, Ref, Spoke, slots
from spokerender.model.ownership import HEADER, KUSTOMIZATION
from spokerender.rendering.marks import namespace_object
from spokerender.rendering.values import layout
from spokerender.rendering.values.bundles import Blueprint, Bundle, Variant
from spokerender.rendering.values.trees import Shipped, Tree, Written


class _Entry(Struct, frozen=True, eq=False):
    """One file of a blueprint: its path, which may hold slots, and what its text is made of."""

    ref: Ref
    path: str
    has_slots: bool
    original: Original | None
    data: dict[str, Any]
    key: object
    """Entries of one key have one text, whichever blueprint they are in."""
    variant: Variant | None


class _Listing(Struct, frozen=True, eq=False):
    """The files of a blueprint by path; `kustomization` is ready where no path holds a slot."""

    entries: tuple[_Entry, ...]
    kustomization: bytes | None
    faults: tuple[Result, ...]


class SpokeFolders:
    """What shall be in the spokes' folders (`values.trees.Tree`, but for the fleet's own)."""

    def __init__(
        self,
        bundles: Mapping[str, Bundle],
        *,
        one_file: bool,
        namespaces: Mapping[str, dict[str, Any]] | None,
        is_plain: bool = False,
        marks: Marks = NO_MARKS,
    ) -> None:
        """`namespaces` are the hub's, clean, by name, if they shall be rendered."""
        self._marks = marks
        self._is_plain = is_plain
        self._bundles = bundles
        self._one_file = one_file
        self._namespaces = namespaces
        self._listings: dict[int, _Listing] = {}
        self._entries: dict[int, _Entry] = {}
        self._kustomization = cache(_kustomization)
        self._templates: dict[object, yamlio.TextTemplate] = {}
        self._compiled: dict[int, tuple[yamlio.TextTemplate, ...]] = {}
        self._faults: dict[int, Result | None] = {}
        self.folders = tuple(bundles)

    def results(self) -> tuple[Result, ...]:
        """Strings that no engine could carry."""
        return merge_occurrences(
            Occurrence(result, (name,))
            for name, bundle in self._bundles.items()
            for result in self._unprintable(bundle)
        )

    def _unprintable(self, bundle: Bundle) -> Iterator[Result]:
        yield from self._listing(bundle.blueprint).faults
        for value in bundle.values.values():
            fault = value_fault(value, bundle.spoke)
            if fault is not None:
                yield fault

    def paths(self, folder: str) -> Sequence[str]:
        """The paths of the folder's files, without making the files."""
        bundle = self._bundles[folder]
        paths = _paths(self._listing(bundle.blueprint), bundle.values)
        if self._one_file and paths:
            paths = [layout.ALL_IN_ONE]
        return sorted([KUSTOMIZATION, *paths])

    def files(self, folder: str) -> dict[str, bytes]:
        """The folder's files by relative path, header and all."""
        rendered = self.manifests(folder)
        if self._one_file and rendered:
            rendered = {layout.ALL_IN_ONE: layout.one_file(list(rendered.items()))}
        listed = self._listing(self._bundles[folder].blueprint).kustomization
        kustomization = listed or layout.kustomization(rendered)
        return {KUSTOMIZATION: kustomization, **rendered}

    def written(self, folder: str, paths: Collection[str] | None = None) -> list[Written]:
        """The objects of a spoke that are in these files of its folder, or all of them."""
        bundle = self._bundles[folder]
        entries = self._listing(bundle.blueprint).entries
        places = _paths(self._listing(bundle.blueprint), bundle.values)
        wanted: Sequence[_Entry] = entries
        if paths is not None and self._one_file:
            wanted = entries if layout.ALL_IN_ONE in paths else ()
        elif paths is not None:
            wanted = [entry for entry, path in zip(entries, places, strict=True) if path in paths]
        values, memo = bundle.values, dict[str, bytes]()
        texts = (self._template(entry, values).fill(values, memo) for entry in wanted)
        return [
            Written(entry.variant, text.removeprefix(HEADER))
            for entry, text in zip(wanted, texts, strict=True)
        ]

    def bundle(self, folder: str) -> Bundle:
        """What a spoke gets."""
        return self._bundles[folder]

    def count(self, folder: str) -> int:
        """How many objects are in a spoke's folder."""
        return len(self._listing(self._bundles[folder].blueprint).entries)

    def manifests(self, folder: str) -> dict[str, bytes]:
        """The folder's objects, each by the path that it has in a file of its own."""
        bundle = self._bundles[folder]
        values, memo = bundle.values, dict[str, bytes]()
        texts = [each.constant or each.fill(values, memo) for each in self._texts(bundle)]
        return dict(zip(_paths(self._listing(bundle.blueprint), values), texts, strict=True))

    def shipped(self, folder: str) -> list[Shipped]:
        """The folder's objects, for who delivers them."""
        bundle = self._bundles[folder]
        values, memo = bundle.values, dict[str, bytes]()
        listing = self._listing(bundle.blueprint)

        def text(entry: _Entry) -> bytes:
            return self._template(entry, values).fill(values, memo).removeprefix(HEADER)

        return [
            Shipped(
                slots.fill_ref(entry.ref, values) if entry.has_slots else entry.ref,
                path,
                entry.key,
                entry.data,
                values,
                partial(text, entry),
            )
            for entry, path in zip(listing.entries, _paths(listing, values), strict=True)
        ]

    def _listing(self, blueprint: Blueprint) -> _Listing:
        known = self._listings.get(id(blueprint))
        if known is None:
            known = self._listings[id(blueprint)] = self._list(blueprint)
        return known

    def _list(self, blueprint: Blueprint) -> _Listing:
        entries = [self._entry(variant) for variant in blueprint.variants]
        if self._namespaces is not None:
            names = {
                variant.ref.namespace for variant in blueprint.variants if variant.ref.namespace
            }
            entries += [_namespace(name, self._namespaces.get(name), self._marks) for name in names]
        entries.sort(key=lambda entry: entry.path)
        faults = tuple(fault for variant in blueprint.variants if (fault := self._fault(variant)))
        if any(entry.has_slots for entry in entries):
            return _Listing(tuple(entries), None, faults)
        paths = [entry.path for entry in entries]
        listed = (layout.ALL_IN_ONE,) if self._one_file and paths else tuple(paths)
        return _Listing(tuple(entries), self._kustomization(listed), faults)

    def _entry(self, variant: Variant) -> _Entry:
        known = self._entries.get(id(variant))
        if known is None:
            known = self._entries[id(variant)] = _entry(variant)
        return known

    def _fault(self, variant: Variant) -> Result | None:
        """What an engine could not carry in an object, looked for once a variant."""
        if id(variant) not in self._faults:
            self._faults[id(variant)] = fault_of(variant, is_plain=self._is_plain)
        return self._faults[id(variant)]

    def _texts(self, bundle: Bundle) -> tuple[yamlio.TextTemplate, ...]:
        """The texts of a blueprint's files. Made where they are needed first, be it in a child."""
        known = self._compiled.get(id(bundle.blueprint))
        if known is None:
            listing = self._listing(bundle.blueprint)
            if listing.kustomization is None:
                _kustomization(tuple(_paths(listing, bundle.values)))
            known = tuple(self._template(entry, bundle.values) for entry in listing.entries)
            self._compiled[id(bundle.blueprint)] = known
        return known

    def _template(self, entry: _Entry, values: slots.Values) -> yamlio.TextTemplate:
        """A text with slots, spliced into the hub's own, so that its comments survive.

        It is read back with the values of the first spoke that gets it.
        """
        known = self._templates.get(entry.key)
        if known is None:
            original = entry.original
            text, data = "", {}
            if original is not None and original.is_spliced:
                text, data = original.text, original.object
            composed = yamlio.compose(text, data, entry.data)
            known = yamlio.compile_text(HEADER.decode() + composed.text)
            if not composed.is_proven:
                made = known.fill(values, {}).decode()
                yamlio.prove(made, slots.fill(entry.data, values))
            self._templates[entry.key] = known
        return known


def _paths(listing: _Listing, values: Mapping[str, Any]) -> list[str]:
    return [
        layout.fitted(slots.fill_text(entry.path, values)) if entry.has_slots else entry.path
        for entry in listing.entries
    ]


def _kustomization(paths: tuple[str, ...]) -> bytes:
    """The file that lists the files of a spoke, read back."""
    text = layout.kustomization(paths)
    yamlio.prove(text.decode(), layout.kustomization_object(paths))
    return text


def _entry(variant: Variant) -> _Entry:
    path = layout.path_of(variant.ref)
    source = variant.shipped.written
    key = id(variant)
    return _Entry(variant.ref, path, slots.has_slot(path), source, variant.object, key, variant)


def _namespace(name: str, hub: dict[str, Any] | None, marks: Marks) -> _Entry:
    made = namespace_object(name, hub, marks)
    ref = Ref("", "Namespace", "", name)
    path = layout.path_of(ref)
    return _Entry(ref, path, slots.has_slot(path), None, made, name, None)


def fault_of(variant: Variant, *, is_plain: bool) -> Result | None:
    """What no engine could carry in an object.

    With `is_plain` all is well with what somebody wrote, and only what is not so written may be
    strange.
    """
    written = variant.shipped.written if is_plain else None
    return _fault(variant, _new(variant.object, written.object if written is not None else None))


def value_fault(value: object, spoke: Spoke) -> Result | None:
    """What no engine could carry in a spoke's own value, which is told where the spoke is."""
    problem = _text_problem(value) if isinstance(value, str) else None
    return _unsupported(problem, None, spoke.origin) if problem else None


def _new(data: Any, known: Any) -> Any:  # noqa: ANN401  (JSON of any shape)
    """What is not in the data that is known, in mappings and lists as it stands there."""
    if data is known:
        return None
    if isinstance(data, dict) and isinstance(known, dict):
        return {key: _new(value, known.get(key)) for key, value in data.items()}
    if isinstance(data, list) and isinstance(known, list) and len(data) == len(known):
        return [_new(one, other) for one, other in zip(data, known, strict=True)]
    return data


def _fault(variant: Variant, strange: Any) -> Result | None:  # noqa: ANN401  (JSON of any shape)
    """What no engine could carry in the part of a variant that may be strange."""
    texts = map(_text_problem, slots.strings_in(strange))
    keys = map(_key_problem, slots.keys_in(strange))
    problem = next(filter(None, chain(texts, keys)), None)
    if problem is None:
        return None
    return _unsupported(problem, variant.manifest.ref, variant.manifest.origin)


def _text_problem(text: str) -> str | None:
    name = yamlio.unsupported(slots.without_slots(text))
    return f"a string has the character {name}, which kustomize can't carry" if name else None


def _key_problem(key: str) -> str | None:
    problem = yamlio.unsupported_key(key)
    return f'the key "{key[:40]}": {problem}' if problem else None


def _unsupported(problem: str, ref: Ref | None, origin: Origin) -> Result:
    return UNPRINTABLE.result(
        problem,
        cure="write it in another way, or encode the text",
        resource=ref,
        origin=origin,
    )


FLEET_FOLDER = "_fleet"
"""The folder of the output that is about the fleet, and applied to no spoke."""


class FleetTree:
    """What shall be on disk (`values.trees.Tree`)."""

    def __init__(self, spokes: Tree, fleet: Sequence[Mapping[str, str]]) -> None:
        """`fleet` are the files of the fleet's own folder, engine by engine."""
        self._spokes = spokes
        self._fleet = _Headed(fleet)
        self.folders = (*((FLEET_FOLDER,) if self._fleet else ()), *spokes.folders)

    def paths(self, folder: str) -> Collection[str]:
        """The paths of the folder's files, without making the files."""
        return sorted(self._fleet) if folder == FLEET_FOLDER else self._spokes.paths(folder)

    def files(self, folder: str) -> Mapping[str, bytes]:
        """The folder's files by relative path, header and all."""
        return self._fleet if folder == FLEET_FOLDER else self._spokes.files(folder)

    def bundle(self, folder: str) -> Bundle:
        """What a spoke gets."""
        return self._spokes.bundle(folder)

    def written(self, folder: str, paths: Collection[str] | None = None) -> Sequence[Written]:
        """The objects that are in these files of a spoke's folder, or all of them."""
        return self._spokes.written(folder, paths)

    def count(self, folder: str) -> int:
        """How many objects are in a spoke's folder."""
        return self._spokes.count(folder)


class _Headed(Mapping[str, bytes]):
    """Files that say whose they are, each made when it is asked for."""

    def __init__(self, parts: Sequence[Mapping[str, str]]) -> None:
        self._owners = {path: part for part in parts for path in part}

    def __getitem__(self, path: str) -> bytes:
        return HEADER + self._owners[path][path].encode()

    def __iter__(self) -> Iterator[str]:
        return iter(self._owners)

    def __len__(self) -> int:
        return len(self._owners)
