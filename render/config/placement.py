"""The placement file: the spokes, which gateway goes where and as what, and the overrides."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, WithJsonSchema, model_validator

from render.config.base import ApiVersion, Items, Model, exactly_one, refuse
from render.config.names import (
    DnsLabel,
    Hostname,
    JsonPointer,
    Kind,
    LabelKey,
    LabelValue,
    NamespacedName,
    Release,
    Subdomain,
    Text,
)
from render.config.selectors import LabelSelector, SpokeSelection, refuse_empty
from render.formats.templating import is_template

_EXPRESSIONS = "May hold Jinja2 expressions over spoke and gateway."


def _plain_keys(data: Any, *at: str | int) -> Any:  # noqa: ANN401  (JSON of any shape)
    """Refuse an expression in a key: only values are evaluated, so it would ship as it is."""
    if isinstance(data, dict):
        for key in data:
            if is_template(key):
                cure = "spell the key out; where it differs, write an override for each"
                refuse("a key can't hold an expression, only a value can", cure, *at, key)
    if isinstance(data, dict | list | tuple):
        for step, item in data.items() if isinstance(data, dict) else enumerate(data):
            _plain_keys(item, *at, step)
    return data


def _named(listeners: tuple[dict[str, Any], ...]) -> tuple[dict[str, Any], ...]:
    names: set[str] = set()
    for index, listener in enumerate(listeners):
        name = listener.get("name")
        if not isinstance(name, str) or not name:
            refuse("a listener needs a name", "add name: …", index)
        if name in names:
            refuse(f'two listeners are named "{name}"', "rename or remove one", index, "name")
        names.add(name)
    return listeners


Listeners = Annotated[
    Items[dict[str, Any]],
    AfterValidator(_named),
    AfterValidator(_plain_keys),
    WithJsonSchema(
        {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["name"],
                "properties": {"name": {"type": "string", "minLength": 1}},
            },
        }
    ),
]
Merge = Annotated[dict[str, Any], Field(min_length=1), AfterValidator(_plain_keys)]


class GatewayAPIInstalled(Model):
    """Which CRDs of the Gateway API a spoke has."""

    bundle: Release | None = Field(
        default=None, description="The release, such as v1.4.1; left out: not known."
    )
    channel: Literal["standard", "experimental"] | None = Field(
        default=None, description="The channel; left out: not known."
    )


class SpokeEntry(Model):
    """A cluster that policies are placed on."""

    name: DnsLabel = Field(description="Its name, and that of its folder in the output.")
    labels: dict[LabelKey, LabelValue] = Field(
        default_factory=dict, description="What selectors select by."
    )
    values: dict[str, Any] = Field(
        default_factory=dict, description="Free values for expressions: spoke.values.<key>."
    )
    gateway_api: GatewayAPIInstalled = Field(
        default_factory=GatewayAPIInstalled,
        alias="gatewayAPI",
        description="The CRDs of the Gateway API that it has.",
    )


class GatewaySelection(
    Model, json_schema_extra={"oneOf": [{"required": ["names"]}, {"required": ["selector"]}]}
):
    """Which Gateways of the hub: by name or by label."""

    names: Annotated[Items[NamespacedName], Field(min_length=1)] | None = Field(
        default=None, description="The Gateways, each as namespace/name."
    )
    selector: LabelSelector | None = Field(default=None, description="The Gateways by label.")

    @model_validator(mode="after")
    def _says_one_thing(self) -> Self:
        exactly_one(self, "names", "selector")
        refuse_empty(self.selector, "name the gateways, or a label that all of them have")
        return self


class GatewayAs(Model):
    """As what a Gateway is placed; what is left out stays as on the hub."""

    name: Text | None = Field(default=None, description=f"Its name. {_EXPRESSIONS}")
    namespace: Text | None = Field(default=None, description=f"Its namespace. {_EXPRESSIONS}")
    gateway_class_name: Text | None = Field(
        default=None, description=f"Its GatewayClass. {_EXPRESSIONS}"
    )
    naming: Literal["hub", "kuadrant-mgc"] | None = Field(
        default=None,
        description="The convention for names that are left out: hub keeps them (the default), "
        "kuadrant-mgc puts a kuadrant- before the namespace and adds the managed label.",
    )
    hostnames: dict[Hostname, Text] = Field(
        default_factory=dict,
        description="Hostnames of the hub and what becomes of them, for listeners and, by suffix, "
        f"the routes below. {_EXPRESSIONS}",
    )
    listeners: Listeners = Field(
        default=(),
        description="Listeners by name: merged into the hub's or, for an existing gateway, those "
        f"that it has. {_EXPRESSIONS}",
    )
    labels: dict[LabelKey, str | None] = Field(
        default_factory=dict, description=f"Labels to set, or with null to remove. {_EXPRESSIONS}"
    )
    annotations: dict[LabelKey, str | None] = Field(
        default_factory=dict,
        description=f"Annotations to set, or with null to remove. {_EXPRESSIONS}",
    )


class PlacementRule(Model):
    """Which Gateways go to which spokes, and as what."""

    gateways: GatewaySelection = Field(description="The Gateways of the hub.")
    spokes: SpokeSelection = Field(description="The spokes that get them.")
    as_: GatewayAs = Field(
        default_factory=GatewayAs, alias="as", description="As what they are placed."
    )
    mode: Literal["create", "existing"] = Field(
        default="create",
        description="create renders the Gateway; existing means that the spoke has its own.",
    )
    optional: bool = Field(
        default=False, description="Whether it is fine that this selects nothing."
    )

    @model_validator(mode="after")
    def _changes_no_existing_gateway(self) -> Self:
        """Nothing of a Gateway that is not rendered can be set; hostnames still move routes."""
        changes = {
            "gatewayClassName": self.as_.gateway_class_name,
            "labels": self.as_.labels,
            "annotations": self.as_.annotations,
        }
        for key, value in changes.items():
            if self.mode == "existing" and value:
                cure = f"remove {key}, or use mode: create"
                refuse(f"{key} can't be set on an existing gateway", cure, "as", key)
        return self


class OverrideTarget(Model):
    """Which objects an override changes, by what they are on the hub."""

    group: str | None = Field(default=None, description="Their API group; left out: any.")
    kind: Kind = Field(description="Their kind.")
    namespace: DnsLabel | None = Field(default=None, description="Their namespace; left out: any.")
    name: Subdomain | None = Field(default=None, description="Their name; left out: any.")
    selector: LabelSelector | None = Field(default=None, description="Their labels; left out: any.")

    @model_validator(mode="after")
    def _selects_by_something(self) -> Self:
        refuse_empty(self.selector, "leave the selector out: the kind alone means all of them")
        return self


class PatchOperation(Model):
    """One operation of a JSON Patch (RFC 6902)."""

    op: Literal["add", "remove", "replace", "move", "copy", "test"] = Field(
        description="What to do."
    )
    path: JsonPointer = Field(description="Where, as a JSON pointer.")
    from_: JsonPointer | None = Field(
        default=None, alias="from", description="Where from, for move and copy."
    )
    value: Annotated[Any, AfterValidator(_plain_keys)] = Field(
        default=None, description="The value to add, replace with or test for."
    )

    @model_validator(mode="after")
    def _has_what_it_needs(self) -> Self:
        needed = {"move": "from", "copy": "from", "remove": None}.get(self.op, "value")
        given = {name.rstrip("_") for name in self.model_fields_set}
        if needed and needed not in given:
            refuse(f"{self.op} needs {needed}", f"add {needed}: …")
        for extra in sorted({"from", "value"} & given - {needed}):
            refuse(f"{self.op} takes no {extra}", "remove it", extra)
        return self


class OverrideRule(
    Model, json_schema_extra={"oneOf": [{"required": ["merge"]}, {"required": ["patch"]}]}
):
    """A change to rendered objects on some spokes, by JSON merge patch or JSON Patch."""

    target: OverrideTarget = Field(description="The objects, as they are on the hub.")
    spokes: SpokeSelection = Field(description="The spokes on which they are changed.")
    merge: Merge | None = Field(
        default=None,
        description="A JSON merge patch (RFC 7386): null removes. "
        "May hold Jinja2 expressions over spoke, gateway and policy.",
    )
    patch: Annotated[Items[PatchOperation], Field(min_length=1)] | None = Field(
        default=None,
        description="A JSON Patch (RFC 6902). "
        "May hold Jinja2 expressions over spoke, gateway and policy.",
    )
    optional: bool = Field(
        default=False, description="Whether it is fine that this matches nothing."
    )

    @model_validator(mode="after")
    def _changes_in_one_way(self) -> Self:
        exactly_one(self, "merge", "patch")
        return self


class PlacementSpec(Model):
    """The spokes, the rules and the overrides; several documents add up."""

    spokes: Items[SpokeEntry] = Field(default=(), description="The clusters there are.")
    rules: Items[PlacementRule] = Field(
        default=(), description="Which gateway goes where, and as what."
    )
    overrides: Items[OverrideRule] = Field(
        default=(), description="Changes, applied in this order after everything else."
    )


class PlacementMetadata(Model):
    """Who a placement is."""

    name: Subdomain = Field(description="Its name; documents count in the order of their names.")


class Placement(Model):
    """Which gateway goes to which spokes, and as what."""

    api_version: ApiVersion = Field(description="The version of this file's format.")
    kind: Literal["Placement"] = Field(description="What this file is.")
    metadata: PlacementMetadata = Field(description="Who this placement is.")
    spec: PlacementSpec = Field(description="What it says.")
