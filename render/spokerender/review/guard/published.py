"""What must not go unacknowledged though it protects nothing: kcp's APIs, and consumers' copies.

A consumer who takes an object away has seen it. Who withdraws a PublishedResource, an agent or a
workspace takes away what others have written, and may not have.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from spokerender.model import Ref
from spokerender.rendering.values.publishing import AGENT_LABEL, CLUSTER_LABEL, Published
from spokerender.review.guard.documents import Reader
from spokerender.review.guard.losses import Lost


def guarded(
    lost: Iterable[Lost], gone: Mapping[Ref, bytes], *, reader: Reader, published: Published | None
) -> tuple[Lost, ...]:
    """The losses, those marked that are guarded; `gone` has the texts of what goes."""
    return tuple(
        item
        if item.stays or item.replaced or item.ref not in gone
        else replace(item, guarded=_reason(item.ref, gone[item.ref], reader, published))
        for item in lost
    )


def _reason(ref: Ref, text: bytes, reader: Reader, published: Published | None) -> str:
    if reader.catalogue.kind(ref.group, ref.kind).guarded:
        return "whoever has bound it in kcp loses the API with it"
    if published is None or CLUSTER_LABEL.encode() not in text:
        return ""
    item = reader.parse(text)
    labels = (item.object["metadata"].get("labels") or {}) if item is not None else {}
    cluster, agent = labels.get(CLUSTER_LABEL), labels.get(AGENT_LABEL)
    if cluster not in published.clusters:
        return f"copies of workspace {cluster}, which is withdrawn"
    if (agent, ref.group, ref.kind) not in published.offers:
        return f"copies that agent {agent} made of {ref.kind}, whose PublishedResource is withdrawn"
    return ""
