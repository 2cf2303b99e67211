"""The targets of security policies, in words."""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from spokerender.kinds.fields import find_values
from spokerender.kinds.kind import Kind, ReferencePath, Role
from spokerender.kinds.reference import Reference
from spokerender.kinds.references import WHOLE_NAMESPACE, read_references
from spokerender.model import Ref
from spokerender.model.selectors import Expression


def targets_of_policy(kind: Kind, data: Mapping[str, Any], namespace: str) -> tuple[str, ...]:
    """Return the distinct targets that a policy names itself; empty if it does not say.

    A kind that selects workloads protects all of its namespace when it selects none (Istio's
    policies without `selector`, a NetworkPolicy with an empty one).
    """
    links = (link for link in read_references(kind, data, namespace) if link.row != WHOLE_NAMESPACE)
    targets = [target for link in links for target in _linked_targets(link)]
    if targets:
        return tuple(dict.fromkeys(targets))
    rules = [rule for rule in kind.references if rule.role is Role.LABEL]
    if not rules:
        return ()
    labels = sorted(text for rule in rules for text in _label_selectors(rule, data))
    return (_write_target(Ref("", "", namespace, ""), ",".join(labels)),)


def _linked_targets(link: Reference) -> Iterator[str]:
    if not link.row.role.guards:
        return
    ref, labels = link.ref, ""
    if link.selector is not None:
        labels = str(link.selector.labels)
        if link.selector.source == "All":
            ref = replace(ref, namespace="")
        elif link.selector.source == "Selector":
            ref = replace(ref, namespace=f"({link.selector.namespaces})")
    for section in link.sections or ("",):
        yield _write_target(replace(ref, section_name=section), labels)


def _label_selectors(rule: ReferencePath, data: Mapping[str, Any]) -> Iterator[str]:
    for path, value in find_values(data, rule.path):
        if isinstance(path[-1], int):
            yield str(Expression.read(value))
        elif isinstance(value, Mapping):
            yield ",".join(f"{key}={text}" for key, text in sorted(value.items()))


def _write_target(ref: Ref, labels: str) -> str:
    """Write a target as `Gateway shop/public [https]` or `every Gateway of namespace shop`.

    Without a name it is everything of that kind and namespace (without a kind: every workload) that
    `labels` select, a label selector as kubectl writes it; empty selects all.
    """
    if ref.name:
        return str(ref)
    labels = f" with {labels}" if labels else ""
    place = f"namespace {ref.namespace}" if ref.namespace else "every namespace"
    section = f" [{ref.section_name}]" if ref.section_name else ""
    return f"every {ref.kind or 'workload'}{labels} of {place}{section}"
