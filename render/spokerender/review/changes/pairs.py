"""The old and the new file of each object: which objects changed or moved between files."""

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import groupby
from operator import itemgetter
from typing import Any, Generic, TypeVar

from spokerender.formats import yamlio
from spokerender.formats.comparing import is_same_json
from spokerender.kinds.catalogue import Catalogue
from spokerender.kinds.credentials import find_credentials
from spokerender.model import Ref, grouped, identity
from spokerender.model.plan import KUSTOMIZATION, FilePair, has_conflict

_KUSTOMIZATIONS = 64
"""The number of kustomizations in the cache: many spokes have the same."""
NO_OBJECT = Ref("", "", "", "")
"""The identity that stands for a document that is not an object."""

_SEPARATOR = b"\n---\n"

DocumentKey = tuple[Ref, int]
"""The identity of a document, and its number among the documents of the file with that identity."""
FileContent = tuple[Mapping[DocumentKey, Any], str]
"""The documents of a file, and the error if the file can't be read (otherwise empty)."""
ReadFile = Callable[[bytes | None], FileContent]
"""The type of `read_objects` and of caches of it."""
Identify = Callable[[str, bytes], tuple[Ref, ...]]
"""Returns the identities of the objects in a file, from the name of its folder and its content."""


def read_objects(data: bytes | None) -> FileContent:
    """Return the documents of a file by identity, and the error if it can't be read."""
    if data is None:
        return {}, ""
    if has_conflict(data):
        return {}, "Git's conflict markers are in it"
    documents, problems = yamlio.read(data, "")
    if problems:
        return {}, f"line {problems[0].line}: {problems[0].message}"
    values: dict[DocumentKey, Any] = {}
    counts: Counter[Ref] = Counter()
    for document in documents:
        ref = identity(document.value) or NO_OBJECT
        values[ref, counts[ref]] = document.value
        counts[ref] += 1
    return values, ""


def identify_file(data: bytes, read: ReadFile) -> tuple[Ref, ...]:
    """Return the identities of a file's documents (`NO_OBJECT` for a document without one)."""
    values, _ = read(data)
    return tuple(ref for ref, _ in values)


def single_ref(values: Mapping[DocumentKey, Any]) -> Ref:
    """Return the identity of the only object in a file; `NO_OBJECT` if it has none or several."""
    return next(iter(values))[0] if len(values) == 1 else NO_OBJECT


def inline_credentials(values: Mapping[DocumentKey, Any]) -> frozenset[str]:
    """Return the credentials in a file's objects."""
    texts = (
        find_credentials(_catalogue().kind(ref.group, ref.kind), value)
        for (ref, _), value in values.items()
        if isinstance(value, Mapping)
    )
    return frozenset[str]().union(*texts)


@cache
def _catalogue() -> Catalogue:
    # Only the table of kinds says where credentials are: no CRD does.
    return Catalogue.of(())


_Named = TypeVar("_Named", bound=Hashable)


class Pairing(Generic[_Named]):
    """Pairs of a deleted and an added item that share some key; no item is in two pairs."""

    def __init__(self, gone: Iterable[_Named], added: Iterable[_Named]) -> None:
        self.pairs: dict[_Named, _Named] = {}
        self._gone = dict.fromkeys(gone)
        self._added = dict.fromkeys(added)

    def pair(self, old: _Named, new: _Named) -> None:
        """Pair `old` and `new` if `old` was deleted, `new` was added, and neither has a partner."""
        if old in self._gone and new in self._added:
            self.pairs[old] = new
            del self._gone[old], self._added[new]

    def pair_unique(self, likeness: Callable[[_Named], Hashable]) -> None:
        """Pair a deleted and an added item of equal `likeness` that no other item shares."""
        gone, added = (
            grouped((likeness(item), item) for item in side) for side in (self._gone, self._added)
        )
        for key, old in gone.items():
            new = added.get(key, ())
            if len(old) == len(new) == 1:
                self.pair(old[0], new[0])


def with_moves(pairs: Iterable[FilePair], identify: Identify) -> Iterator[FilePair]:
    """Yield the pairs of files; the old and the new file of a moved object become one pair.

    The path of that pair is the new one. A deleted and an added object of one kind in a folder are
    one moved object if only these two have the same name, the same text except for the name, or the
    same namespace. If a file with several objects is split or joined (`fleet.layout`), it is
    compared with all files that have these objects on the other side.
    """
    for folder, group in groupby(pairs, key=itemgetter(0)):
        sides = {path: (old, new) for _, path, old, new in group}
        single = {
            path: old or new or b"" for path, (old, new) in sides.items() if None in (old, new)
        }
        refs = {path: identify(folder, data) for path, data in single.items()}
        added = {path for path in refs if sides[path][0] is None}
        for path, parts in _find_parts(refs, added).items():
            whole, joined = single[path], _SEPARATOR.join(single[part] for part in parts)
            yield (folder, path, *((joined, whole) if path in added else (whole, joined)))
            for each in (path, *parts):
                del sides[each], refs[each]
        alone = {
            path: own[0] for path, own in refs.items() if len(own) == 1 and own != (NO_OBJECT,)
        }
        moves = _find_moves(alone, added, single)
        moved = set(moves.values())
        for path, (old, new) in sides.items():
            if path not in moved:
                yield folder, path, sides[moves[path]][0] if path in moves else old, new


def _find_parts(
    refs: Mapping[str, Sequence[Ref]], added: Collection[str]
) -> dict[str, tuple[str, ...]]:
    """Return each file of several objects with the other state's files that have these objects."""
    sides: tuple[dict[Ref, str], dict[Ref, str]] = {}, {}
    for path, own in refs.items():
        sides[path in added].update((ref, path) for ref in own if ref != NO_OBJECT)
    parts_of: dict[str, tuple[str, ...]] = {}
    used = set[str]()
    for path, own in refs.items():
        others = sides[path not in added] if len(own) > 1 and path not in used else {}
        parts = dict.fromkeys(others[ref] for ref in own if ref in others)
        if parts and used.isdisjoint(parts):
            parts_of[path] = (*parts,)
            used |= {path, *parts}
    return parts_of


def _find_moves(
    refs: Mapping[str, Ref], added: Collection[str], texts: Mapping[str, bytes]
) -> dict[str, str]:
    """Return the old path of each moved object by its new path; pair equal names first."""
    moves = Pairing(sorted(refs.keys() - {*added}), sorted(refs.keys() & {*added}))
    moves.pair_unique(lambda path: (refs[path].group, refs[path].kind, refs[path].name))
    moves.pair_unique(lambda path: texts[path].replace(refs[path].name.encode(), b""))
    moves.pair_unique(lambda path: (refs[path].group, refs[path].kind, refs[path].namespace))
    return {new: old for old, new in moves.pairs.items()}


class WithoutMirrors:
    """All pairs of files except kustomizations that only follow the added and removed files.

    `left_out` is the number of these kustomizations, after the iteration is complete.
    """

    def __init__(self, pairs: Iterable[FilePair]) -> None:
        self._pairs = pairs
        self.left_out = 0

    def __iter__(self) -> Iterator[FilePair]:
        kustomizations: list[FilePair] = []
        moved: dict[str, set[str]] = {}
        for pair in self._pairs:
            folder, path, old, new = pair
            if path == KUSTOMIZATION:
                kustomizations.append(pair)
                continue
            if old is None or new is None:
                moved.setdefault(folder, set()).add(path)
            yield pair
        for folder, path, old, new in kustomizations:
            if _is_mirror(old, new, moved.get(folder, set())):
                self.left_out += 1
            else:
                yield folder, path, old, new


def _is_mirror(old: bytes | None, new: bytes | None, moved: set[str]) -> bool:
    """Return whether a kustomization differs only in that it lists or lacks files in `moved`."""
    if old is None or new is None:
        return bool(moved)
    rest, listed = _split_kustomization(old)
    new_rest, new_listed = _split_kustomization(new)
    return listed != new_listed and is_same_json(rest, new_rest) and listed ^ new_listed <= moved


@lru_cache(maxsize=_KUSTOMIZATIONS)
def _split_kustomization(data: bytes) -> tuple[Any, frozenset[str]]:
    """Return a kustomization without the list of resources, and the resources (maybe empty)."""
    values, problem = read_objects(data)
    for value in values.values() if len(values) == 1 else ():
        if isinstance(value, Mapping) and isinstance(value.get("resources"), list):
            rest = {key: item for key, item in value.items() if key != "resources"}
            return rest, frozenset(item for item in value["resources"] if isinstance(item, str))
    return [problem, *values.values()], frozenset()
