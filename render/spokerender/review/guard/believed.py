"""Objects with certificates and keys by which callers and backends are believed."""

from collections.abc import Iterator

from spokerender.findings.codes.shipping import NARROWED
from spokerender.findings.results import Result
from spokerender.kinds.needs import read_requirements
from spokerender.model import shown
from spokerender.model.refs import DataByRef
from spokerender.topology.hub import Hub


def compare_believed(hub: Hub, before: DataByRef, after: DataByRef) -> Iterator[Result]:
    """Report each object with other data that a security policy, or a field `tls`, needs.

    `before` and `after` are the objects that differ. No tree shows it where spokes get them from
    elsewhere, and no row says whether more callers or backends are believed by it.
    """
    old, new = ({ref: {**it[ref], "metadata": {}} for ref in it} for it in (before, after))
    changed = {ref for ref in old if ref in new and old[ref] != new[ref]}
    for manifest in hub.manifests if changed else ():
        kind = hub.catalogue.kind(manifest.ref.group, manifest.ref.kind)
        for need in read_requirements(kind, manifest.object, manifest.ref.namespace):
            is_believed = (kind.security and not need.row.or_bytes) or "tls" in need.path
            if need.ref in changed and is_believed:
                yield NARROWED.result(
                    f"{need.ref} has other data, and decides who is believed",
                    cure=f"read the change of {need.ref}, unless others are to be believed",
                    resource=manifest.ref,
                    field=shown(need.path),
                    origin=manifest.origin,
                )
