"""The names that objects of one state have in the next one."""

import json
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from operator import itemgetter
from typing import Any, TypeVar

from msgspec import Struct

from spokerender.kinds.needs import read_requirements
from spokerender.model import Ref
from spokerender.model.memo import Remembering, memoised
from spokerender.model.refs import FieldPath
from spokerender.rendering.values.aligning import SharedWithSlots
from spokerender.review.changes.pairing import Pairing
from spokerender.review.comparison.views import SpokeView
from spokerender.topology.node import Node
from spokerender.topology.paths import Levels

_Answer = TypeVar("_Answer")


class SharedNames:
    """The answers about names that spokes have in common."""

    def __init__(self) -> None:
        self.answers = SharedWithSlots()
        self.read_print = Remembering(_read_print)


class Renaming:
    """The names of things of one state in the next one."""

    def __init__(self, old: SpokeView, new: SpokeView, shared: SharedNames | None = None) -> None:
        """Compare; `shared` is what the names on several spokes have in common."""
        self.old = old
        self.new = new
        self._shared = shared or SharedNames()

    def once(self, about: object, work_out: Callable[[], _Answer]) -> _Answer:
        """Return an answer, worked out once for all spokes that have the same paths in both states.

        It must depend on nothing but nodes, names and paths, and what is in `about`.
        """
        return self._shared.answers.answer((about, self._paths), work_out)

    @cached_property
    def _paths(self) -> object:
        """A mark of the topologies, the values in them, and the names that are new."""
        sides = ((it.topology, *it.bundle.values.items()) for it in (self.old, self.new))
        return self._shared.answers.answer((*sides, *self.renamed.items()), object)

    @cached_property
    def renamed(self) -> Mapping[Ref, Ref]:
        """The objects that have another name or namespace, with their new ones."""
        old, new = self.old.variants.keys(), self.new.variants.keys()
        pairing = Pairing(sorted(old - new), sorted(new - old))
        if old - new and new - old:
            views = {**dict.fromkeys(old - new, self.old), **dict.fromkeys(new - old, self.new)}
            read = self._shared.read_print
            alike = {
                ref: _list_likenesses(read(view.object_of(ref), view.nodes.get(ref)), ref)
                for ref, view in views.items()
            }
            for number in range(_LIKENESSES):
                if number == _LIKENESSES - 1:
                    self._pair_retargeted(pairing)
                pairing.pair_unique({ref: own[number] for ref, own in alike.items()}.__getitem__)
        return pairing.pairs

    @cached_property
    def earlier(self) -> Mapping[Ref, Ref]:
        """The objects that have another name or namespace, with their old ones."""
        return {new: old for old, new in self.renamed.items()}

    def _pair_retargeted(self, pairing: Pairing[Ref]) -> None:
        """Pair what policies targeted with what they target instead: they know who is who."""
        for ref in sorted(self.old.variants):
            name = pairing.pairs.get(ref, ref)
            if self.old.kind((ref.group, ref.kind)).is_policy and name in self.new.variants:
                old, new = self.old.targets(ref), self.new.targets(name)
                if len(old) == len(new):
                    for one, other in zip(old, new, strict=True):
                        if (one.group, one.kind) == (other.group, other.kind):
                            pairing.pair(one, other)

    def name(self, ref: Ref) -> Ref:
        """Return what an object, or a section of one, is called afterwards."""
        whole = ref.whole
        new = self.renamed.get(whole, whole)
        if not ref.section_name:
            return new
        return new.section(self._sections(whole, new).get(ref.section_name, ref.section_name))

    @memoised
    def new_names(self, ref: Ref) -> Mapping[FieldPath, str]:
        """Return the new names of what an object of before names, by their places in it.

        With them are the namespaces of what stays behind, where it names none and moves itself.
        """
        node = self.old.nodes.get(ref)
        links = (*node.references, *node.needs) if node is not None else ()
        names = {
            link.name_path or (*link.path, "name"): self.renamed[link.ref.whole].name
            for link in links
            if link.ref.whole in self.renamed and link.selector is None
        }
        return {**dict(self._find_left(ref)), **names}

    def _find_left(self, ref: Ref) -> Iterator[tuple[FieldPath, str]]:
        namespace = self.name(ref).namespace
        if namespace == ref.namespace:
            return
        kind = self.old.kind((ref.group, ref.kind))
        for need in read_requirements(kind, self.old.object_of(ref), ref.namespace):
            place = self.name(need.ref.whole).namespace
            if not need.explicit_namespace and place not in ("", namespace):
                yield (*need.path, "namespace"), place

    @memoised
    def levels(self, levels: Levels) -> Levels:
        """Return what the levels of a path are called afterwards."""
        return tuple(map(self.name, levels))

    @memoised
    def _sections(self, old: Ref, new: Ref) -> Mapping[str, str]:
        """Return what the listeners or rules of an object are called afterwards."""
        before, after = self.old.nodes.get(old), self.new.nodes.get(new)
        if before is None or after is None:
            return {}
        if before.listeners:
            return _pair_sections(
                {one.name: (one.hostname, one.port, one.protocol) for one in before.listeners},
                {one.name: (one.hostname, one.port, one.protocol) for one in after.listeners},
            )
        if before.is_route:
            return _pair_sections(self.old.matches(old), self.new.matches(new))
        return {}


def _pair_sections(old: Mapping[str, object], new: Mapping[str, object]) -> dict[str, str]:
    """Pair names by what they stand for; then those that are left over in both."""
    same = [name for name in old if new.get(name, _NOTHING) == old[name]]
    # Of one name there may be one before and another after: where rules change places, say.
    sides = ([(n, repr(side[n])) for n in side if n not in same] for side in (old, new))
    pairing = Pairing(*sides)
    pairing.pair_unique(itemgetter(1))
    pairs = dict(zip(same, same, strict=True))
    pairs |= {was: now for (was, _), (now, _) in pairing.pairs.items()}
    left = [name for name in old if name not in pairs]
    free = [name for name in new if name not in pairs.values()]
    pairs |= {name: name for name in left if name in free}
    return pairs


_NOTHING = object()


class _Print(Struct, frozen=True):
    """The parts of an object that stay when it is renamed, as texts to compare."""

    content: str
    shape: str
    addresses: str
    requests: str


def _read_print(data: Mapping[str, Any], node: Node | None) -> _Print:
    content = {key: item for key, item in data.items() if key not in ("metadata", "status")}
    shape = dict(content.get("spec") or {}) if isinstance(content.get("spec"), Mapping) else {}
    for key in ("targetRef", "targetRefs", "targetSelectors", "parentRefs", "parentRef"):
        shape.pop(key, None)
    addresses: list[str] = []
    if node is not None:
        addresses = sorted(str((one.hostname, one.port)) for one in node.listeners) or sorted(
            node.hostnames
        )
    requests = node.matches if node is not None else ()
    return _Print(_text(content), _text(shape), " ".join(addresses), _text(requests))


def _text(value: object) -> str:
    return json.dumps(value, sort_keys=True, default=str)


def _list_likenesses(own: _Print, ref: Ref) -> tuple[tuple[str, ...], ...]:
    """Return what is alike in an object under its old and its new name, the surest first."""
    kind = (ref.group, ref.kind)
    return (
        (*kind, ref.name),
        (*kind, ref.namespace, own.content),
        (*kind, ref.namespace, own.shape),
        (*kind, own.shape),
        (*kind, own.addresses or str(ref)),
        (*kind, ref.namespace, own.requests),
    )


_LIKENESSES = 6
