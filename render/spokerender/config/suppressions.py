"""Suppressions: findings that are accepted, with a reason."""

from typing import Annotated, Self

from pydantic import AfterValidator, Field, model_validator

from spokerender.config.base import Model, refuse
from spokerender.config.names import DnsLabel, KindName, ObjectNameText, Text
from spokerender.config.selectors import LabelSelector, refuse_empty
from spokerender.findings.phrasing import did_you_mean
from spokerender.findings.suppressions import instead_of_suppressing


def _suppressible(code: str) -> str:
    from spokerender.findings.codes.table import FINDING_KINDS  # noqa: PLC0415  (few files suppress anything)

    codes = {kind.code for kind in FINDING_KINDS}
    if code not in codes:
        cure = did_you_mean(code, codes) or "spokerender rules lists every code"
        refuse(f'no finding has the code "{code}"', cure)
    instead = instead_of_suppressing(code)
    if instead:
        refuse(f"{code} can't be suppressed", instead)
    return code


class Suppression(Model):
    """A finding that is known and accepted; it is still reported, as an info.

    It applies to one object, or to all objects of a kind, in a namespace or with certain labels.
    """

    code: Annotated[Text, AfterValidator(_suppressible)] = Field(
        description="The code of the finding: spokerender rules lists them."
    )
    resource: ObjectNameText | None = Field(
        default=None,
        description="The object of the hub, as Kind[.group]/[namespace/]name.",
    )
    kind: KindName | None = Field(
        default=None, description="Instead of one object: the kind of the objects."
    )
    namespace: DnsLabel | None = Field(
        default=None, description="Instead of one object: the namespace of the objects."
    )
    selector: LabelSelector | None = Field(
        default=None, description="Instead of one object: the labels of the objects on the hub."
    )
    spoke: DnsLabel | None = Field(default=None, description="The spoke; default: every spoke.")
    reason: Text = Field(description="Why it is accepted.")

    @model_validator(mode="after")
    def _is_about_something(self) -> Self:
        if self.resource is not None:
            for key in ("kind", "namespace", "selector"):
                if getattr(self, key) is not None:
                    refuse(f"resource names one object, and {key} several", "keep one", key)
        elif self.kind is None and self.namespace is None and self.selector is None:
            refuse("it would apply to every object", "add resource, or kind, namespace or selector")
        refuse_empty(self.selector, "name a label, or leave the selector out")
        return self
