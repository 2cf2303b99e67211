"""Manifests: objects as users wrote them, with the edits that were made since."""

from collections.abc import Mapping
from typing import Any, Self

from msgspec import Struct
from msgspec.structs import replace

from spokerender.model.refs import FieldPath, Origin, Place, Ref


class Original(Struct, frozen=True, eq=False):
    """An object as a user wrote it, with its file and line and its text; edits don't change it.

    `text` is the YAML text of the document or file, so that comments can survive, and `steps` lead
    to the object in `text`. If `is_spliced` is false, the object is written anew, as `text` can't
    be reused (the object is a list item, JSON or has an alias): then `text` only serves to find
    lines.
    """

    object: dict[str, Any]
    origin: Origin
    text: str = ""
    is_spliced: bool = True
    steps: FieldPath = ()


class Edit(Struct, frozen=True, eq=False):
    """An edit of an object: a short description, and the object before the edit.

    `before` is empty if the edit created the object. `place` is where the edit is configured.
    `patch` is the merge patch or the operations of the JSON Patch, if the edit was a patch: a patch
    sets a field even if the field had that value before. `by` is the object that caused the edit.
    """

    how: str
    before: Mapping[str, Any]
    place: Place | None = None
    patch: Any = None
    by: Ref | None = None


class Manifest(Struct, frozen=True, eq=False):
    """An object of the hub: as it was written, as it is now, and the edits in between.

    `written` is None for a generated object, whose first edit created it. A stage never changes a
    manifest but returns a new one, which shares unchanged parts. Manifests are compared by
    identity: objects are large, and equal objects in two files are two manifests.
    """

    ref: Ref
    object: dict[str, Any]
    written: Original | None
    edits: tuple[Edit, ...] = ()

    @classmethod
    def read(cls, ref: Ref, data: dict[str, Any], origin: Origin, text: str = "") -> Self:
        """Return a manifest of an object that was read from a file."""
        return cls(ref, data, Original(data, origin, text))

    @classmethod
    def made(cls, ref: Ref, data: dict[str, Any], how: str, place: Place) -> Self:
        """Return a manifest of a generated object; `place` is where generating it is configured."""
        return cls.made_by(Edit(how, {}, place), ref, data)

    @classmethod
    def made_by(cls, edit: Edit, ref: Ref, data: dict[str, Any]) -> Self:
        """Return a manifest of an object that `edit` generated."""
        return cls(ref, data, None, (edit,))

    def edited(self, ref: Ref, data: dict[str, Any], edit: Edit) -> Self:
        """Return the manifest after `edit`; the same manifest if `data` and `ref` are unchanged."""
        # By identity: stages return the object itself where they change nothing
        # (`kinds.fields.apply_edits`), and to compare whole objects after each stage would take
        # long.
        if data is self.object and ref == self.ref:
            return self
        return replace(self, ref=ref, object=data, edits=(*self.edits, edit))

    @property
    def version(self) -> str:
        """Return the version in the object's `apiVersion`, without the group: `v1`."""
        # The core group's `apiVersion` has no slash: it is the version alone.
        return str(self.object["apiVersion"]).rpartition("/")[2]

    @property
    def origin(self) -> Origin:
        """Return where the object is written, or where its generation is configured."""
        if self.written is not None:
            return self.written.origin
        place = self.edits[0].place
        assert place is not None  # noqa: S101  (see `made`)
        return place()
