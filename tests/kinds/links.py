"""References that are read from an object, as lines of text."""

from typing import Any

from spokerender.kinds.catalogue import Catalogue
from spokerender.kinds.reference import Reference
from spokerender.kinds.references import read_references
from spokerender.model import shown

CATALOGUE = Catalogue.of([])


def links(of: list[str], data: Any) -> list[str]:
    """Every reference of an object of a group and kind, in a namespace (else `infra`)."""
    group, kind, *namespace = of
    return [
        tell_link(link)
        for link in read_references(
            CATALOGUE.kind(group, kind), data, namespace[0] if namespace else "infra"
        )
    ]


def tell_link(link: Reference) -> str:
    """Role, object, sections, port, label and place, and where name and namespace stand.

    These two are not told where they are the fields `name` and `namespace` of the reference.
    """
    ref = link.ref
    return " ".join(
        text
        for text in (
            link.row.role.name.lower(),
            f"{ref.kind}.{ref.group}".rstrip("."),
            f"{ref.namespace}/{ref.name}",
            f"[{', '.join(link.sections)}]" if link.sections else "",
            f"port {link.port}" if link.port is not None else "",
            "(explicit)" if link.explicit_namespace else "",
            f"by {link.label}" if link.label else "",
            f"at {shown(link.path)}",
            *(
                f"{key} at {shown(place)}" if place else f"without {key}"
                for key, place in (("name", link.name_path), ("namespace", link.namespace_path))
                if place != (*link.path, key)
            ),
        )
        if text
    )
