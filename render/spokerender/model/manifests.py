"""Manifests: an object as it was written, and every edit since."""

from collections.abc import Mapping
from typing import Any, Self

from msgspec import Struct
from msgspec.structs import replace

from spokerender.model.refs import FieldPath, Origin, Place, Ref


class Original(Struct, frozen=True, eq=False):
    """An object as a user wrote it, with its place and its text; edits don't change it.

    `text` is its source, so that comments can survive, and `steps` lead to it there. With
    `is_spliced` false the object is written anew, since pieces of the text can't be kept (a list
    item, JSON, an alias in it): then the text only serves to find lines.
    """

    object: dict[str, Any]
    origin: Origin
    text: str = ""
    is_spliced: bool = True
    steps: FieldPath = ()


class Edit(Struct, frozen=True, eq=False):
    """An edit of an object: a short description, and the object before it.

    `before` is empty where the edit created the object. `place` is where the edit is configured.
    `patch` is the merge patch, or the operations of the JSON Patch, if the edit was one: it sets a
    field even where the field had that value before. `by` is the object that asked for the edit.
    """

    how: str
    before: Mapping[str, Any]
    place: Place | None = None
    patch: Any = None
    by: Ref | None = None


class Manifest(Struct, frozen=True, eq=False):
    """An object of the hub: as it was written, as it is now, and the edits in between.

    A generated object has no `written`: its first edit created it. A stage never changes a manifest
    but returns another one, which shares unchanged parts. Manifests are compared by identity:
    objects are large, and equal objects at two places are two.
    """

    ref: Ref
    object: dict[str, Any]
    written: Original | None
    edits: tuple[Edit, ...] = ()

    @classmethod
    def read(cls, ref: Ref, data: dict[str, Any], origin: Origin, text: str = "") -> Self:
        """Make a manifest of an object that was read."""
        return cls(ref, data, Original(data, origin, text))

    @classmethod
    def made(cls, ref: Ref, data: dict[str, Any], how: str, place: Place) -> Self:
        """Make a manifest of a generated object; `place` is where its generation is configured."""
        return cls.made_by(Edit(how, {}, place), ref, data)

    @classmethod
    def made_by(cls, edit: Edit, ref: Ref, data: dict[str, Any]) -> Self:
        """Make a manifest of an object that an edit generated."""
        return cls(ref, data, None, (edit,))

    def edited(self, ref: Ref, data: dict[str, Any], edit: Edit) -> Self:
        """Return the manifest after an edit; itself where nothing changed."""
        # By identity: stages return the object itself where they change nothing
        # (`kinds.fields.apply_edits`), and to compare whole objects after each stage would take
        # long.
        if data is self.object and ref == self.ref:
            return self
        return replace(self, ref=ref, object=data, edits=(*self.edits, edit))

    @property
    def version(self) -> str:
        """Return the version of its kind that it is written in."""
        # That of the core group has no slash: it is the version alone.
        return str(self.object["apiVersion"]).rpartition("/")[2]

    @property
    def origin(self) -> Origin:
        """Return where it is written, or where its generation is configured."""
        if self.written is not None:
            return self.written.origin
        place = self.edits[0].place
        assert place is not None  # noqa: S101  (see `made`)
        return place()
