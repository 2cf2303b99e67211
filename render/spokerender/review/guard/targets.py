"""What a security policy protects, as far as it can be read off the policy itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from spokerender.kinds import Kind, Reference, ReferencePath, Role, found, references
from spokerender.kinds.references import WHOLE_NAMESPACE
from spokerender.model import Ref
from spokerender.model.selectors import Expression


class Target(Struct, frozen=True):
    """One thing that a policy protects.

    Without a name in `ref` it is everything of that kind and namespace (without a kind: every
    workload) that `labels` select, a label selector as kubectl writes it; empty selects all.
    """

    ref: Ref
    labels: str = ""

    @property
    def whole(self) -> Target:
        """The object that this target's section is in."""
        return replace(self, ref=self.ref.whole)

    def __str__(self) -> str:
        """In words: `Gateway shop/public [https]`, `every Gateway of namespace shop`."""
        if self.ref.name:
            return str(self.ref)
        labels = f" with {self.labels}" if self.labels else ""
        place = f"namespace {self.ref.namespace}" if self.ref.namespace else "every namespace"
        section = f" [{self.ref.section_name}]" if self.ref.section_name else ""
        return f"every {self.ref.kind or 'workload'}{labels} of {place}{section}"


def targets(kind: Kind, data: Mapping[str, Any], namespace: str) -> tuple[Target, ...]:
    """What a policy of that kind and namespace protects, each once; empty if nobody can tell.

    A kind that selects workloads protects all of its namespace when it selects none (Istio's
    policies without `selector`, a NetworkPolicy with an empty one).
    """
    links = (link for link in references(kind, data, namespace) if link.row != WHOLE_NAMESPACE)
    named = [target for link in links for target in _targets(link)]
    if named:
        return tuple(dict.fromkeys(named))
    rules = [rule for rule in kind.references if rule.role is Role.LABEL]
    if not rules:
        return ()
    labels = sorted(text for rule in rules for text in _selected(rule, data))
    return (Target(Ref("", "", namespace, ""), ",".join(labels)),)


def _targets(link: Reference) -> Iterator[Target]:
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
        yield Target(replace(ref, section_name=section), labels)


def _selected(rule: ReferencePath, data: Mapping[str, Any]) -> Iterator[str]:
    for path, value in found(data, rule.path):
        if isinstance(path[-1], int):
            yield str(Expression.read(value))
        elif isinstance(value, Mapping):
            yield ",".join(f"{key}={text}" for key, text in sorted(value.items()))
