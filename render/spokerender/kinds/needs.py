"""The objects that a spoke must have for one rendered object to work."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from spokerender.kinds.columns import Need
from spokerender.kinds.fields import apply_edits, find_values
from spokerender.kinds.kind import Kind, ReferencePath, Role
from spokerender.kinds.reference import Reference
from spokerender.kinds.references import normalize_group, read_references
from spokerender.kinds.table import is_cluster_scoped
from spokerender.model.refs import FieldPath, Ref
from spokerender.model.selectors import Selector
from spokerender.model.shapes import Json, as_mapping, as_text


class Requirement(Struct, frozen=True):
    """A required object, given by its name or by a selector.

    `path` leads to the mapping with the name, and `row` describes this field. If there is a
    `selector`, the name of `ref` is empty. The namespace of `ref` is empty for a cluster-scoped
    object, or if `row` says that the object is `elsewhere`.
    """

    ref: Ref
    path: FieldPath
    row: Need = Need("", "")
    selector: Selector | None = None
    explicit_namespace: bool = False
    port: int | None = None
    otherwise: Ref | None = None
    """The object that is meant if `ref` does not exist."""

    def lacks_keys(self, keys: Collection[str]) -> bool:
        """Return whether the object, whose data has `keys`, has none of the needed keys."""
        is_single = self.row.or_single and len(keys) == 1
        is_asked = bool(keys and self.row.keys) and not is_single
        return is_asked and not any(key in keys for key in self.row.keys)


def read_requirements(
    kind: Kind, data: Mapping[str, Any], namespace: str
) -> tuple[Requirement, ...]:
    """Return the objects that an object requires: needs of its kind, backends, and filters."""
    return (
        *list_needed_objects(kind.needs, data, namespace),
        *(
            Requirement(link.ref, link.path, explicit_namespace=link.explicit_namespace)
            for link in read_references(kind, data, namespace)
            if link.row.role.carries and link.selector is None
        ),
    )


_NEED, _FILTER = ReferencePath("", Role.NEED), ReferencePath("", Role.FILTER)
_NEVER_RENDERED = "Secret"


def read_needs(kind: Kind, data: Mapping[str, Any], namespace: str) -> tuple[Reference, ...]:
    """Return references to the objects that an object needs (`Kind.needs`).

    An object that an annotation names counts as a filter, of all rules or of a backend. Objects
    that are only selected or remain on the hub are left out, as are Secrets, which are never
    rendered.
    """
    return tuple(
        Reference(
            path=item.path,
            row=_FILTER if item.row.separator else _NEED,
            ref=ref,
            explicit_namespace=item.explicit_namespace,
            port=item.port,
            instead_of=None if ref == item.ref else item.ref,
        )
        for item in list_needed_objects(kind.needs, data, namespace)
        if item.selector is None and item.ref.kind not in (_NEVER_RENDERED, *item.row.stays)
        # Which of both exists is only known with the hub's objects (`instead_of`).
        for ref in filter(None, (item.ref, item.otherwise))
    )


def read_extended(
    kind: Kind, data: Mapping[str, Any], namespace: str, find: Callable[[Ref], Json]
) -> Mapping[str, Any]:
    """Return an object's `spec`, with parts added from the objects that it names (`Need.part`).

    `find` returns an object by identity, or None.
    """
    edits: dict[FieldPath, Any] = {}
    needs = [need for need in kind.needs if need.part]
    for item in list_needed_objects(needs, data, namespace):
        part = as_mapping(as_mapping(as_mapping(find(item.ref)).get("spec")).get(item.row.part))
        edits |= {(*item.path[1:], key): value for key, value in part.items()}
    spec: Mapping[str, Any] = apply_edits(kind.read_spec(data), edits)
    return spec


def read_crossings(
    kind: Kind, data: Mapping[str, Any], links: Iterable[Reference], namespace: str
) -> Iterator[tuple[Ref, FieldPath]]:
    """Yield the references to other namespaces, which need a ReferenceGrant, with their fields.

    `links` are the object's references (`spokerender.kinds.references`). References by which
    objects attach are permitted otherwise: a route's by `allowedRoutes`, a policy's by selectors.
    """
    granting = [need for need in kind.needs if need.namespace_key and need.is_granted]
    for requirement in list_needed_objects(granting, data, namespace):
        if requirement.explicit_namespace and requirement.ref.namespace != namespace:
            yield requirement.ref, requirement.path
    for link in links:
        if link.row.role.carries and link.selector is None and link.ref.namespace != namespace:
            yield link.ref, link.path


def list_needed_objects(
    needs: Sequence[Need], data: Mapping[str, Any], own: str
) -> Iterator[Requirement]:
    """Yield what the object `data` in the namespace `own` requires, according to `needs`."""
    for need in needs:
        for path, entry in find_values(data, need.path):
            if isinstance(entry, Mapping):
                yield from _of_entry(need, path, entry, data, own)


def _of_entry(
    need: Need, path: FieldPath, entry: Mapping[str, Any], data: Mapping[str, Any], own: str
) -> Iterator[Requirement]:
    if need.selects:
        yield _selected(need, path, Selector.read(entry), own)
    elif need.labels:
        # An empty list, or false, is as good as an absent field.
        if not any(value for pattern in need.unless for _, value in find_values(data, pattern)):
            yield _selected(need, path, Selector(need.labels), own)
    elif need.separator:
        texts = map(str.strip, _text(entry, need.name).split(need.separator))
        for text in filter(None, dict.fromkeys(texts)):
            namespace, _, name = text.rpartition(":")
            each = {need.name: name, "namespace": namespace}
            yield from _named(replace(need, namespace_key="namespace"), path, each, own)
    else:
        data_key = _text(entry, need.data_key)
        yield from _named(replace(need, keys=(data_key,)) if data_key else need, path, entry, own)


def _selected(need: Need, path: FieldPath, selector: Selector, own: str) -> Requirement:
    place = "" if need.elsewhere else own
    return Requirement(Ref(need.group, need.kind, place, ""), path, need, selector)


def _named(
    need: Need, path: FieldPath, entry: Mapping[str, Any], own: str
) -> Iterator[Requirement]:
    name = _text(entry, need.name)
    # An empty group or kind means the default, which for all but cert-manager is core anyway.
    group = normalize_group(_text(entry, need.group_key) or need.group)
    kind = _text(entry, need.kind_key) or need.kind
    if not name or not kind:
        return
    explicit = _text(entry, need.namespace_key)
    namespace = explicit or ("" if need.elsewhere else own)
    # A cluster-scoped object has no namespace, whatever is written beside its name.
    clusterwide = is_cluster_scoped(group, kind)
    yield Requirement(
        Ref(group, kind, "" if clusterwide else namespace, name),
        path,
        need,
        explicit_namespace=bool(explicit) and not clusterwide,
        port=port if isinstance(port := entry.get("port"), int) else None,
        otherwise=Ref(group, need.or_kind, "", name) if need.or_kind else None,
    )


def _text(entry: Mapping[str, Any], key: str) -> str:
    return as_text(entry.get(key)) if key else ""
