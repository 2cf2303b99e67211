"""Whose routes and ListenerSets a listener takes, by the namespaces that they are in."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from spokerender.model.selectors import EVERYTHING, LabelSelector


class NamespaceLabels(Struct, frozen=True):
    """The labels of a namespace; those that are known, where they are not complete."""

    values: Mapping[str, str]
    is_complete: bool


class Admission(Struct, frozen=True):
    """Whose routes (or ListenerSets) may attach: `from` and, for `Selector`, its selector."""

    source: str = "Same"
    selector: LabelSelector = EVERYTHING

    def admits(self, parent_namespace: str, namespace: str, labels: NamespaceLabels) -> bool:
        """Whether an object of `namespace`, which has `labels`, may attach (GEP-1324, GEP-1713).

        Of labels that nobody tells nothing is concluded: then it may.
        """
        match self.source:
            case "All":
                return True
            case "Same":
                return parent_namespace == namespace
        return self.source == "Selector" and self.selector.may_match(
            labels.values, is_complete=labels.is_complete
        )

    def is_open_question(self, labels: NamespaceLabels) -> bool:
        """Whether it is only taken to admit a namespace, whose labels nobody tells."""
        return (
            self.source == "Selector"
            and not labels.is_complete
            and not self.selector.matches(labels.values)
            and self.selector.may_match(labels.values, is_complete=False)
        )


NOBODY = Admission("None")
"""What a Gateway says of ListenerSets where it says nothing (GEP-1713)."""
