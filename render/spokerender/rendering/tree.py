"""The trees of spokes: each variant's text is made once, a spoke's bytes when they are needed.

Only one spoke's bytes are in memory at a time: a tree of a million files is read folder by folder,
twice if necessary, which costs less than keeping it.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from functools import cache, cached_property, partial
from operator import attrgetter
from typing import Any, Self

from msgspec import Struct

from spokerender.findings.codes.shipping import UNPRINTABLE
from spokerender.findings.occurrences import Occurrence, merge_occurrences
from spokerender.findings.results import Result
from spokerender.formats import yamlio
from spokerender.kinds.marks import NO_MARKS, Marks
from spokerender.model import NAMESPACE, Origin, Original, Ref, slots
from spokerender.model.plan import HEADER, KUSTOMIZATION
from spokerender.model.shapes import Json, keys_in, strings_in
from spokerender.rendering.marks import namespace_object
from spokerender.rendering.values import layout
from spokerender.rendering.values.bundles import Blueprint, Bundle, Variant
from spokerender.rendering.values.layout import FLEET_FOLDER
from spokerender.rendering.values.trees import ObjectText, Shipped


class _Entry(Struct, frozen=True, eq=False):
    """One file of a blueprint: its path, which may have slots, and the source of its text."""

    ref: Ref
    path: str
    has_slots: bool
    original: Original | None
    data: dict[str, Any]
    key: object
    """Entries with equal keys have equal texts, whichever blueprints they are in."""
    variant: Variant | None


class _Listing(Struct, frozen=True, eq=False):
    """The files of a blueprint; `kustomization` lists them, and is None if a path has slots."""

    entries: tuple[_Entry, ...]
    kustomization: bytes | None
    faults: tuple[Result, ...]

    def paths(self, values: slots.Values) -> list[str]:
        return [
            layout.fitted(slots.fill_text(entry.path, values)) if entry.has_slots else entry.path
            for entry in self.entries
        ]


class SpokeFolders:
    """The folders of all spokes, and of the fleet if it has one (`values.trees.Tree`)."""

    def __init__(
        self,
        bundles: Mapping[str, Bundle],
        *,
        one_file: bool,
        namespaces: Mapping[str, dict[str, Any]] | None,
        is_plain: bool = False,
        marks: Marks = NO_MARKS,
    ) -> None:
        """Prepare; `namespaces` are the hub's, cleaned, by name; None to render none.

        If `is_plain`, kustomize can keep all texts that users wrote.
        """
        self._bundles = bundles
        self._one_file = one_file
        self._namespaces = namespaces
        self._is_plain = is_plain
        self._marks = marks
        self._listing = cache(self._list)
        self._entry = cache(_entry)
        self._fault = cache(self._find_fault)
        self._kustomization = cache(_kustomization)
        # By variant: a text is made once for all blueprints, and cut at its slots.
        self._templates: dict[object, yamlio.TextTemplate] = {}
        self._texts: dict[Blueprint, tuple[yamlio.TextTemplate, ...]] = {}
        self._fleet = _HeadedFiles(())

    def with_fleet(
        self,
        files: Sequence[Mapping[str, str]],
        work_out: Callable[[], Mapping[str, str]] = dict,
    ) -> Self:
        """Return a copy of the tree with `files` (texts by path) in the fleet's own folder.

        `work_out` returns further files; it is called when the folder's files are first needed.
        """
        # A shallow copy, which shares all texts that are made already.
        tree = copy(self)
        tree._fleet = _HeadedFiles(files, work_out)  # noqa: SLF001  (a copy of this one)
        return tree

    @property
    def folders(self) -> Sequence[str]:
        """Return the names of the folders in the output."""
        return (*((FLEET_FOLDER,) if self._fleet else ()), *self._bundles)

    def results(self) -> tuple[Result, ...]:
        """Return findings about strings that kustomize can't keep."""
        return merge_occurrences(
            Occurrence(result, (name,))
            for name, bundle in self._bundles.items()
            for result in self._unprintable(bundle)
        )

    def _unprintable(self, bundle: Bundle) -> Iterator[Result]:
        yield from self._listing(bundle.blueprint).faults
        for value in bundle.values.values():
            fault = _text_fault([value]) if isinstance(value, str) else ""
            if fault:
                yield _unprintable(fault, None, bundle.spoke.origin)

    def paths(self, folder: str) -> Sequence[str]:
        """Return the paths of a folder's files, without making the files."""
        if folder == FLEET_FOLDER:
            return sorted(self._fleet)
        bundle = self._bundles[folder]
        paths = self._listing(bundle.blueprint).paths(bundle.values)
        if self._one_file and paths:
            paths = [layout.ALL_IN_ONE]
        return sorted([KUSTOMIZATION, *paths])

    def files(self, folder: str, paths: Collection[str] | None = None) -> Mapping[str, bytes]:
        """Return a folder's files by path, with headers: all if None, else at least `paths`."""
        if folder == FLEET_FOLDER:
            return self._fleet
        bundle = self._bundles[folder]
        listing, values, memo = self._listing(bundle.blueprint), bundle.values, dict[str, bytes]()
        texts = self._texts.get(bundle.blueprint)
        listed: Collection[str] = listing.paths(values)
        if texts is None:  # made where they are needed first, possibly in a child process
            # If paths have slots, the list is written for each spoke; this call proves it.
            if listing.kustomization is None:
                _kustomization(tuple(listed))
            texts = tuple(self._template(entry, values) for entry in listing.entries)
            self._texts[bundle.blueprint] = texts
        # Most texts have no slot: their bytes are the same object in all folders.
        files = {
            path: text.constant or text.fill(values, memo)
            for path, text in zip(listed, texts, strict=True)
            if paths is None or self._one_file or path in paths
        }
        if self._one_file and files:
            files = {layout.ALL_IN_ONE: layout.one_file(list(files.items()))}
            listed = files
        if paths is None or KUSTOMIZATION in paths:
            files[KUSTOMIZATION] = listing.kustomization or layout.kustomization(listed)
        return files

    def digest(self) -> str:
        """Return a digest of the paths and bytes in all spokes' folders."""
        import hashlib  # noqa: PLC0415  (start-up counts)

        digest = hashlib.sha256()
        for folder in sorted(self._bundles):
            for path, data in sorted(self.files(folder).items()):
                # With its length, the end of a file can't be mistaken for the path of the next one.
                digest.update(f"{folder}/{path}\0{len(data)}\0".encode())
                digest.update(data)
        return f"sha256:{digest.hexdigest()}"

    def written(self, folder: str, paths: Collection[str] | None = None) -> list[ObjectText]:
        """Return a spoke's objects in the files `paths` of its folder; in all files if None."""
        bundle = self._bundles[folder]
        listing = self._listing(bundle.blueprint)
        entries: Sequence[_Entry] = listing.entries
        if paths is not None and self._one_file:
            entries = entries if layout.ALL_IN_ONE in paths else ()
        elif paths is not None:
            all_paths = listing.paths(bundle.values)
            pairs = zip(entries, all_paths, strict=True)
            entries = [entry for entry, path in pairs if path in paths]
        values, memo = bundle.values, dict[str, bytes]()
        return [ObjectText(entry.variant, self._text(entry, values, memo)) for entry in entries]

    def bundle(self, folder: str) -> Bundle:
        """Return the bundle of a spoke."""
        return self._bundles[folder]

    def shipped(self, folder: str) -> list[Shipped]:
        """Return a folder's objects for the delivery engines, in the order of their paths.

        Objects are sorted by paths with the spoke's values, not with slots: changes of other
        objects can turn a value into a slot, and must not change the order.
        """
        bundle = self._bundles[folder]
        listing, values, memo = self._listing(bundle.blueprint), bundle.values, dict[str, bytes]()
        objects = [
            Shipped(
                slots.fill_ref(entry.ref, values) if entry.has_slots else entry.ref,
                path,
                entry.key,
                entry.data,
                values,
                partial(self._text, entry, values, memo),
            )
            for entry, path in zip(listing.entries, listing.paths(values), strict=True)
        ]
        return sorted(objects, key=attrgetter("path"))

    def _list(self, blueprint: Blueprint) -> _Listing:
        entries = [self._entry(variant) for variant in blueprint.variants]
        if self._namespaces is not None:
            names = {variant.ref.namespace for variant in blueprint.variants} - {""}
            entries += [_namespace(name, self._namespaces.get(name), self._marks) for name in names]
        # Namespaces come from a set; the order of a folder is that of its paths.
        entries.sort(key=lambda entry: entry.path)
        # `_fault` is cached: most variants are in many blueprints.
        faults = tuple(fault for variant in blueprint.variants if (fault := self._fault(variant)))
        if any(entry.has_slots for entry in entries):
            return _Listing(tuple(entries), None, faults)
        paths = tuple(entry.path for entry in entries)
        files = (layout.ALL_IN_ONE,) if self._one_file and paths else paths
        return _Listing(tuple(entries), self._kustomization(files), faults)

    def _find_fault(self, variant: Variant) -> Result | None:
        """Return a finding about a string of an object that kustomize can't keep, or None.

        If all texts of users are plain, only fields that differ from the hub's text are searched.
        """
        written = variant.shipped.written if self._is_plain else None
        suspect = _difference(variant.object, written.object if written is not None else None)
        fault = _text_fault(strings_in(suspect)) or _key_fault(keys_in(suspect))
        manifest = variant.manifest
        return _unprintable(fault, manifest.ref, manifest.origin) if fault else None

    def _text(self, entry: _Entry, values: slots.Values, memo: dict[str, bytes]) -> bytes:
        return self._template(entry, values).fill(values, memo).removeprefix(HEADER)

    def _template(self, entry: _Entry, values: slots.Values) -> yamlio.TextTemplate:
        """Return a text with slots, spliced into the hub's text so that its comments survive.

        The text is read back and compared, with the values of the first spoke that needs it.
        """
        template = self._templates.get(entry.key)
        if template is None:
            original = entry.original
            text, data = "", {}
            if original is not None and original.is_spliced:
                text, data = original.text, original.object
            composed = yamlio.compose(text, data, entry.data)
            template = yamlio.cut_at_marks(HEADER.decode() + composed.text)
            if not composed.is_proven:
                filled = template.fill(values, {}).decode()
                yamlio.prove(filled, slots.fill(entry.data, values))
            self._templates[entry.key] = template
        return template


def _kustomization(paths: tuple[str, ...]) -> bytes:
    """Return the kustomization of a spoke with these files; the text is read back and compared."""
    text = layout.kustomization(paths)
    yamlio.prove(text.decode(), layout.kustomization_object(paths))
    return text


def _entry(variant: Variant) -> _Entry:
    path = layout.path_of(variant.ref)
    original = variant.shipped.written
    has_slots = slots.has_slot(path)
    return _Entry(variant.ref, path, has_slots, original, variant.object, variant, variant)


def _namespace(name: str, hub: dict[str, Any] | None, marks: Marks) -> _Entry:
    ref = Ref(*NAMESPACE, "", name)
    path, data = layout.path_of(ref), namespace_object(name, hub, marks)
    return _Entry(ref, path, slots.has_slot(path), None, data, name, None)


def _difference(data: Json, expected: Json) -> Json:
    """Return the parts of JSON data that differ from `expected` at the same path."""
    if data is expected:
        return None
    if isinstance(data, dict) and isinstance(expected, dict):
        return {key: _difference(value, expected.get(key)) for key, value in data.items()}
    if isinstance(data, list) and isinstance(expected, list) and len(data) == len(expected):
        return [_difference(one, other) for one, other in zip(data, expected, strict=True)]
    return data


def _text_fault(texts: Iterable[str]) -> str:
    """Return the fault of the first text that kustomize can't keep, or an empty text."""
    whole = slots.without_slots("".join(texts))  # one search is faster than one for each text
    name = yamlio.unsupported(whole)
    return f"a string has the character {name}, which kustomize can't carry" if name else ""


def _key_fault(keys: Iterable[str]) -> str:
    """Return the fault of the first key that kustomize can't keep, or an empty text."""
    faults = ((key, yamlio.unsupported_key(key)) for key in keys)
    return next((f'the key "{key[:40]}": {fault}' for key, fault in faults if fault), "")


def _unprintable(fault: str, ref: Ref | None, origin: Origin) -> Result:
    cure = "write it in another way, or encode the text"
    return UNPRINTABLE.result(fault, cure=cure, resource=ref, origin=origin)


class _HeadedFiles(Mapping[str, bytes]):
    """Files with the header that marks them as ours, each made when it is needed."""

    def __init__(
        self,
        parts: Sequence[Mapping[str, str]],
        work_out: Callable[[], Mapping[str, str]] = dict,
    ) -> None:
        self._given, self._work_out = parts, work_out

    @cached_property
    def _parts(self) -> Mapping[str, Mapping[str, str]]:
        return {path: part for part in (*self._given, self._work_out()) for path in part}

    def __getitem__(self, path: str) -> bytes:
        return HEADER + self._parts[path][path].encode()

    def __iter__(self) -> Iterator[str]:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)
