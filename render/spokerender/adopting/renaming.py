"""Rename a Gateway of the hub: its own name, and each field of a file that refers to it."""

import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from spokerender.adopting.editable import EditableDocument, read_editable, refuse_edit
from spokerender.findings.phrasing import did_you_mean
from spokerender.kinds.fields import find_values, read_value
from spokerender.kinds.needs import read_needs
from spokerender.kinds.reference import GRANT
from spokerender.kinds.references import read_references
from spokerender.model import GATEWAY
from spokerender.model.refs import FieldPath, ObjectName, Origin, Ref, identity, shown
from spokerender.model.shapes import Json, as_list, as_mapping, is_list_of_objects
from spokerender.model.sources import Files
from spokerender.topology.hub import DEFAULT_NAMESPACE, Hub
from spokerender.topology.objects import find_ref_fault


class GatewayRename(Struct, frozen=True):
    """A new name for a Gateway of the hub.

    If the Gateway has the new name already, only the fields that refer to it are corrected.
    """

    hub: Hub
    old: Ref
    name: str

    @classmethod
    def read(cls, hub: Hub, text: ObjectName, name: str) -> "GatewayRename":
        """Return the rename of a Gateway. Raises `InputError` if it is not possible."""
        here = {manifest.ref: manifest.origin for manifest in hub.manifests}
        named = (ref for ref in here if text.names(ref))
        renamed = (
            replace(ref, name=text.name) for ref in here if replace(text, name=name).names(ref)
        )
        old = next(named, None) or next(renamed, None)
        if old is None:
            alike = [ref for ref in here if ref.kind.casefold() == text.kind.casefold()]
            cure = did_you_mean(str(text), map(str, map(ObjectName.of, alike or here)), "it has")
            refuse_edit(f"there is no {text} in the hub", cure)
        new = replace(old, name=name)
        if (old.group, old.kind) != GATEWAY:
            refuse_edit(
                f"a {old.kind} can't be renamed by spokerender, which renames Gateways",
                "rename it by hand; `spokerender check` finds the references that are left",
                here.get(old),
            )
        if fault := find_ref_fault(new):
            refuse_edit(f'it can\'t be named "{name}": {fault}', "choose another name")
        if old in here and new in here:
            refuse_edit(f"there is {new} already: {here[new]}", "choose another name", here[new])
        return cls(hub, old, name)

    def edit_files(self, hub_files: Files, own_files: Files) -> tuple[dict[str, bytes], list[str]]:
        """Return the changed files, and a line of text for each changed field.

        Raises `InputError` if a field can't be edited, or may mean the Gateway or something else.
        """
        edited: dict[str, bytes] = {}
        changes: list[tuple[Origin, str]] = []
        for files, find_fields in ((hub_files, self._fields_of_hub), (own_files, self._own_fields)):
            for document in reversed(read_editable(files)):  # an edit moves no line above
                fields = dict(find_fields(document))
                value = deepcopy(document.written.value)
                for path, text in fields.items():
                    read_value(value, path[:-1])[path[-1]] = text
                    changes.append((document.origin(*path), f"{shown(path)}: {text}"))
                if fields:
                    data = edited.get(document.path, document.data)
                    current = EditableDocument(document.path, data, document.written)
                    edited |= current.rewritten(value)
        return edited, [f"{origin} {change}" for origin, change in sorted(changes)]

    def _fields_of_hub(self, document: EditableDocument) -> Iterator[tuple[FieldPath, str]]:
        """Yield the fields of the hub's objects that have the Gateway's name, with the new name."""
        value = document.written.value
        items = enumerate(value["items"]) if is_list_of_objects(value) else [(-1, value)]
        for index, data in items:
            start = () if index < 0 else ("items", index)
            if (ref := identity(data)) is not None:
                yield from (((*start, *path), self.name) for path in self._names_in(ref, data))

    def _names_in(self, ref: Ref, data: Mapping[str, Any]) -> Iterator[FieldPath]:
        kind = self.hub.catalogue.kind(ref.group, ref.kind)
        namespace = (ref.namespace or DEFAULT_NAMESPACE) if kind.namespaced else ""
        if replace(ref, namespace=namespace) == self.old:
            yield ("metadata", "name")
        links = (*read_references(kind, data, namespace), *read_needs(kind, data, namespace))
        for link in links:
            if link.ref.whole == self.old and link.name_path is not None:
                yield link.name_path
        if (ref.group, ref.kind, namespace) == (*GRANT, self.old.namespace):
            for path, entry in find_values(data, "spec.to[]"):
                if self._is_it(as_mapping(entry)):
                    yield (*path, "name")

    def _own_fields(self, document: EditableDocument) -> Iterator[tuple[FieldPath, str]]:
        """Yield the fields of our own files that have the Gateway's name, with their new texts."""
        value = document.written.value
        self._refuse_texts(document, value, ())
        new = replace(self.old, name=self.name).full_name
        patterns = ("spec.rules[].gateways.names[]", "spec.external[].gateways[]")
        places = (place for pattern in patterns for place in find_values(value, pattern))
        yield from ((path, new) for path, text in places if text == self.old.full_name)
        for path, text in find_values(value, "spec.suppressions[].resource"):
            name = ObjectName.read(text) if isinstance(text, str) else None
            if name is not None and name.names(self.old):
                yield path, str(replace(name, name=self.name))
        for path, entry in find_values(value, "spec.overrides[].target"):
            target = as_mapping(entry)
            if self._is_it({"group": self.old.group, **target}):
                if not target.get("namespace"):
                    self._refuse_others(document, path)
                yield (*path, "name"), self.name

    def _is_it(self, entry: Mapping[str, Any]) -> bool:
        """Return whether an entry has the Gateway's group, kind, name and namespace (if any)."""
        fields = (entry.get("group") or "", entry.get("kind"), entry.get("name"))
        is_here = (entry.get("namespace") or self.old.namespace) == self.old.namespace
        return is_here and fields == (self.old.group, self.old.kind, self.old.name)

    def _refuse_others(self, document: EditableDocument, path: FieldPath) -> None:
        """Raise `InputError` for a target without a namespace that may mean other objects, too."""
        others = (m.ref for m in self.hub.manifests if m.ref.namespace != self.old.namespace)
        alike = {replace(self.old, namespace="", name=name) for name in (self.old.name, self.name)}
        other = next((ref for ref in others if replace(ref, namespace="") in alike), None)
        if other is not None:
            refuse_edit(
                f"{shown(path)} names no namespace, and may mean {other} as well",
                "write the namespace of the object that is meant",
                document.origin(*path),
            )

    def _refuse_texts(self, document: EditableDocument, value: Json, path: FieldPath) -> None:
        """Raise `InputError` if the Gateway's name is in a patch, or quoted in an expression."""
        items = value.items() if isinstance(value, dict) else enumerate(as_list(value))
        for step, item in items:
            self._refuse_texts(document, item, (*path, step))
        is_patch = path[:2] == ("spec", "overrides") and path[3:4] in (("merge",), ("patch",))
        is_name = is_patch and path[-1] in ("name", "value") and value == self.old.name
        quoted = rf"""['"/]{re.escape(self.old.name)}['"]"""
        if is_name or (isinstance(value, str) and re.search(quoted, value)):
            refuse_edit(
                f'{shown(path)} has the name "{self.old.name}", which may mean {self.old}',
                "rename by hand, or write this without the name first",
                document.origin(*path),
            )
