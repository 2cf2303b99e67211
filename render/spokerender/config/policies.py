"""The merging of policies, for kinds that spokerender does not know or knows differently."""

from collections.abc import Iterable
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from spokerender.config.base import Items, Model, refuse
from spokerender.config.names import FieldPattern, KindName, Subdomain, Text
from spokerender.model import kind_name

_PROPER = ("spec", "defaults", "overrides")
_UNMERGED = {
    "none": "merges nothing",
    "all": "merges nothing",
    "fields": "takes policies field by field",
}
_OF_MERGING = {
    "strategy": "it has no strategy",
    "substance": "no policy gives way for being empty",
}


def _below_the_spec_proper(pattern: str) -> str:
    first, _, rest = pattern.partition(".")
    # Defaults and overrides of a policy have the same fields, so patterns are relative to them.
    if first in _PROPER:
        cure = f'write "{rest}"' if rest else "name a field below it"
        refuse(f'a pattern begins below the spec proper, without "{first}"', cure)
    return pattern


Pattern = Annotated[FieldPattern, AfterValidator(_below_the_spec_proper)]


def _from_the_root(pattern: str) -> str:
    if not pattern.startswith("spec."):
        refuse("the path of a target begins at the object's root", f'write "spec.{pattern}"')
    return pattern


_Process = Literal["none", "all", "fields", "gep-713", "kuadrant", "single-policy-per-route"]


class PolicyKind(Model):
    """The merging of policies of a kind; it replaces what spokerender knows about it."""

    group: Subdomain = Field(description="Its API group.")
    kind: KindName = Field(description="Its kind.")
    process: _Process = Field(
        default="gep-713",
        description="The result of several policies on one path: none keeps only the most specific "
        "one, all keeps all of them in force, fields takes each field from the most specific "
        "one that has it, gep-713 merges from the top down, kuadrant from the bottom up, "
        "single-policy-per-route has default and override in one policy.",
    )
    strategy: Literal["atomic", "patch", "merge"] = Field(
        default="atomic",
        description="The strategy of a policy that names none: atomic takes one of two whole, "
        "patch merges field by field, merge rule by rule.",
    )
    rules: Items[Pattern] = Field(
        default=(),
        description="The fields that are one rule: patterns below spec, or below its defaults or "
        "overrides, such as limits.*; default: every field there.",
    )
    substance: Pattern | None = Field(
        default=None,
        description="The field without which a policy is empty and gives way; default: no policy "
        "gives way for being empty.",
    )
    condition: Pattern | None = Field(
        default=None, description="The rule that gates all others, such as when."
    )
    one_each: bool = Field(
        default=False,
        description="Refuse a second policy on one target as Conflicted.",
    )
    ties: Literal["alphabetical", "unbroken"] = Field(
        default="alphabetical",
        description="The winner among policies of one age: the first by namespace/name, or all.",
    )
    sections: Literal["own", "positional"] | None = Field(
        default=None,
        description="The section names of a target: own, a rule's own name alone; "
        "positional, also the place of one that has none, as in rule-2; default: as spokerender "
        "knows, or own.",
    )
    hostnames: Literal["meet", "within"] | None = Field(
        default=None,
        description="The hostnames of a route that a policy covers: meet, those with a name in "
        "common with the listener's; within, those wholly inside the listener's; default: as "
        "spokerender knows, or meet.",
    )
    security: bool | None = Field(
        default=None,
        description="true: the loss of a policy is a security risk; default: as spokerender "
        "knows, or false.",
    )
    targets: Annotated[Items[KindName], Field(min_length=1)] | None = Field(
        default=None,
        description="The kinds that it may attach to; default: as spokerender knows, or any.",
    )

    target_paths: Items[Annotated[FieldPattern, AfterValidator(_from_the_root)]] = Field(
        default=(),
        description="The fields that name its targets by group, kind and name, such as "
        "spec.attachTo[]; default: those of its CRD, or spec.targetRef, spec.targetRefs, "
        "spec.targetSelectors and spec.parentRefs.",
    )

    @model_validator(mode="after")
    def _says_nothing_in_vain(self) -> Self:
        for field, why in _OF_MERGING.items():
            # Only what was written counts; defaults contradict nothing.
            if self.process in _UNMERGED and field in self.model_fields_set:
                message = f"process: {self.process} {_UNMERGED[self.process]}, so {why}"
                refuse(message, f"remove {field}, or name another process", field)
        if "ties" in self.model_fields_set and self.process != "none" and not self.one_each:
            message = f"process: {self.process} lets several policies hold on one target"
            refuse(message, "remove ties, or set oneEach: true", "ties")
        # Without `rules` every field is one, the condition included.
        if self.condition and self.rules and self.condition not in self.rules:
            refuse("the condition is none of the rules", "add it to rules", "condition")
        return self


def refuse_twice(kinds: Iterable[PolicyKind]) -> None:
    """Refuse a second entry about one kind in `spec.policyKinds` of fleet.yaml."""
    seen: set[tuple[str, str]] = set()
    for index, entry in enumerate(kinds):
        identity = (entry.group, entry.kind)
        if identity in seen:
            name = kind_name(entry.group, entry.kind)
            refuse(f"{name} is configured twice", "keep one of the two", "policyKinds", index)
        seen.add(identity)


class ControllerSettings(Model):
    """The configuration of a controller on all spokes.

    A setting that is left out has the default of the release that spokerender describes. Without an
    entry, the settings are not known, and everything that depends on them is Unknown.
    """

    name: Text = Field(description="Its name: `controllerName` of its GatewayClasses.")
    settings: dict[str, Any] = Field(
        default_factory=dict,
        description="What its own configuration says, under its own names.",
    )


class OcmSettings(Model):
    """Settings for Placements of Open Cluster Management."""

    decide: Literal["missing", "always"] = Field(
        default="missing",
        description="missing takes the PlacementDecisions of the hub as they are, and decides "
        "Placements without any; always decides all, and check tells where the hub did otherwise.",
    )
    liveness_taints: Literal["ignore", "honour"] = Field(
        default="ignore",
        description="honour counts the taints unreachable and unavailable, too, which a hub sets "
        "and lifts by itself: a cluster that is out of reach loses its policies then.",
    )
