"""Objects: what somebody wrote, what has become of it, and by whom."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from msgspec import Struct
from msgspec.structs import replace

from spokerender.model.origins import Origin, Place
from spokerender.model.refs import Ref


class Original(Struct, frozen=True, eq=False):
    """What somebody wrote: an object, where, and in which words. It stays, whatever becomes of it.

    `text` is its own source, so that its comments can survive; empty where pieces of it can't be
    kept (a list item, JSON, an alias in it). With `is_spliced` false they shall not: the object is
    written anew, and the text only tells lines.
    """

    object: dict[str, Any]
    origin: Origin
    text: str = ""
    is_spliced: bool = True


class Edit(Struct, frozen=True, eq=False):
    """One thing that was done to an object: in a word or two, and what the object was before.

    `before` is empty where this made the object. `place` is where somebody wrote that it shall be
    so. `patch` is the merge patch, or the operations of the JSON Patch, that did it, if one did: it
    gives a field its value even where the field had it before.
    """

    how: str
    before: Mapping[str, Any]
    place: Place | None = None
    patch: Any = None


class Manifest(Struct, frozen=True, eq=False):
    """One object of the hub: as it was written, and as it is now, with everything done in between.

    Nobody wrote an object that a stage made: its first edit made it. A stage never changes a
    manifest; it gives another one, which shares what it left as it was. Compared by identity:
    objects are large, and equal ones at two places are two.
    """

    ref: Ref
    object: dict[str, Any]
    written: Original | None
    edits: tuple[Edit, ...] = ()

    @classmethod
    def read(cls, ref: Ref, data: dict[str, Any], origin: Origin, text: str = "") -> Self:
        """An object as it was read."""
        return cls(ref, data, Original(data, origin, text))

    @classmethod
    def made(cls, ref: Ref, data: dict[str, Any], how: str, place: Place) -> Self:
        """An object that nobody wrote; `place` is where somebody wrote that it shall be made."""
        return cls(ref, data, None, (Edit(how, {}, place),))

    def edited(self, ref: Ref, data: dict[str, Any], edit: Edit) -> Self:
        """The object after an edit; itself where nothing changed."""
        if data is self.object and ref == self.ref:
            return self
        return replace(self, ref=ref, object=data, edits=(*self.edits, edit))

    @property
    def origin(self) -> Origin:
        """Where it is written, or what made it."""
        if self.written is not None:
            return self.written.origin
        place = self.edits[0].place
        assert place is not None  # noqa: S101  (see `made`)
        return place()
