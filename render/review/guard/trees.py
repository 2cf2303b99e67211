"""The objects of one spoke's tree by identity, and what their policies protect."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property, lru_cache

from render.model import Ref
from render.review.guard.documents import Parsed, Reader


class Tree:
    """Reads no more of a spoke's objects than it is asked for."""

    def __init__(self, documents: Sequence[bytes], reader: Reader) -> None:
        """`documents` are the texts of all of its objects."""
        self._documents = documents
        self._reader = reader

    def __len__(self) -> int:
        """How many objects there are."""
        return len(self._documents)

    def but_for(self, other: Tree) -> dict[Ref, bytes]:
        """The objects, with their texts, that `other` does not have with the same text."""
        same = set(other._documents)
        return self._by_ref(text for text in self._documents if text not in same)

    def _by_ref(self, documents: Iterable[bytes]) -> dict[Ref, bytes]:
        read = ((self._reader.ref(text), text) for text in documents)
        return {ref: text for ref, text in read if ref is not None}

    @cached_property
    def _objects(self) -> Mapping[Ref, bytes]:
        return self._by_ref(self._documents)

    @property
    def refs(self) -> AbstractSet[Ref]:
        """The identities of all objects."""
        return self._objects.keys()

    def parsed(self, ref: Ref) -> Parsed | None:
        """An object of the tree; None where it has no such, or none that can be read."""
        text = self._objects.get(ref)
        return self._reader.parse(text) if text is not None else None

    def naming(self, group: str, kind: str, names: Iterable[str]) -> Iterator[Parsed]:
        """The objects of the kind in whose texts one of the names is: no others can target it."""
        named = _word("|".join(re.escape(name) for name in sorted(names)))
        for ref, document in self._objects.items():
            if (ref.group, ref.kind) == (group, kind) and named.search(document):
                parsed = self._reader.parse(document)
                if parsed is not None:
                    yield parsed

    def has_section(self, ref: Ref) -> bool:
        """Whether the object has the section; taken for granted of what the tree can't tell."""
        parsed = self.parsed(ref.whole) if ref.section_name else None
        if parsed is None or parsed.sections is None:
            return True
        return ref.section_name in parsed.sections


@lru_cache
def _word(alternatives: str) -> re.Pattern[bytes]:
    """A pattern for whole names; names are made of letters, digits, dots and dashes."""
    return re.compile(rb"(?<![\w.-])(?:%b)(?![\w.-])" % alternatives.encode())
