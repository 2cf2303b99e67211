"""The placement file: the spokes, which gateways are placed on which spokes, and overrides."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, WithJsonSchema, model_validator

from spokerender.config import names
from spokerender.config.base import Choice, Items, Model, refuse
from spokerender.config.documents import NamedDocument
from spokerender.config.names import Hostname, LabelKey, NamespacedName, Text
from spokerender.config.selectors import (
    ONE_WAY,
    DecidedSelection,
    LabelSelector,
    OnlyTrue,
    refuse_empty,
)
from spokerender.formats.templating.template import is_template
from spokerender.model.shapes import Json

EXPRESSIONS = "May hold Jinja2 expressions over spoke and gateway."

FOR = "for"
_NAME = {"type": "string", "minLength": 1}
MOST_LISTENERS = 64
"""`maxItems` of `listeners` in the Gateway API's CRDs."""


def plain_keys(data: Json, *at: str | int) -> Json:
    """Return the data; refuse expressions in keys, as only expressions in values are evaluated."""
    if isinstance(data, dict):
        for key in data:
            if is_template(key):
                cure = "spell the key out; where it differs, write an override for each"
                refuse("a key can't hold an expression, only a value can", cure, *at, key)
    if isinstance(data, dict | list | tuple):
        for step, item in data.items() if isinstance(data, dict) else enumerate(data):
            plain_keys(item, *at, step)
    return data


def _named(listeners: tuple[dict[str, Any], ...]) -> tuple[dict[str, Any], ...]:
    # Before the loop, whose work grows with the length of the input.
    if len(listeners) > MOST_LISTENERS:
        message = (
            f"a Gateway has at most {MOST_LISTENERS} listeners, and here are {len(listeners):,}"
        )
        refuse(message, "leave out what is not needed")
    names: set[str] = set()
    represented: set[str] = set()
    for index, listener in enumerate(listeners):
        name = listener.get("name")
        if not isinstance(name, str) or not name:
            refuse("a listener requires a name", "add name: …", index)
        if name in names:
            refuse(f'two listeners are named "{name}"', "rename or remove one", index, "name")
        names.add(name)
        # Two listeners for one of the hub would make its policies ambiguous.
        for hub_name in listed_hub_listeners(listener, index):
            if hub_name in represented:
                cure = "let one listener stand for it"
                refuse(f'two listeners are for "{hub_name}"', cure, index, FOR)
            represented.add(hub_name)
    return listeners


def listed_hub_listeners(listener: Mapping[str, Any], index: int = 0) -> tuple[str, ...]:
    """Return the hub's listeners that a listener of an existing gateway stands for (`for`)."""
    if FOR not in listener:
        return ()
    written = listener[FOR]
    names = written if isinstance(written, list) else [written]
    if not names or not all(isinstance(name, str) and name for name in names):
        refuse(
            "must be the name of a listener of the hub, or a list", "write for: NAME", index, FOR
        )
    # Templates are evaluated for each spoke, but the rewriting of section names is not.
    if any(map(is_template, names)):
        cure = "spell the name out: the hub's listeners are the same for every spoke"
        refuse("can't hold an expression", cure, index, FOR)
    return tuple(dict.fromkeys(names))


Listeners = Annotated[
    Items[dict[str, Any]],
    AfterValidator(_named),
    AfterValidator(plain_keys),
    WithJsonSchema(
        {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["name"],
                "properties": {
                    "name": _NAME,
                    FOR: {
                        "description": "Listeners of the hub that this one of an existing gateway "
                        "stands for: section names are rewritten to its name.",
                        "anyOf": [_NAME, {"type": "array", "minItems": 1, "items": _NAME}],
                    },
                },
            },
        }
    ),
]


class PlacedSelection(Choice, json_schema_extra=ONE_WAY):
    """A selection of Gateways or Services of the hub: by name, by label, or all of them."""

    alternatives = ("names", "selector", "all")

    names: Annotated[Items[NamespacedName], Field(min_length=1)] | None = Field(
        default=None, description="The objects, as namespace/name."
    )
    selector: LabelSelector | None = Field(default=None, description="The objects by label.")
    all: OnlyTrue | None = Field(default=None, description="Every one, including later ones.")

    @model_validator(mode="after")
    def _says_one_thing(self) -> Self:
        refuse_empty(self.selector, "write all: true instead, to select every one")
        return self


class RouteNamespaces(Model):
    """The namespaces whose routes may attach (Gateway API, `RouteNamespaces`)."""

    from_: Literal["All", "Same", "Selector"] = Field(
        alias="from", description="All namespaces, that of the gateway, or selected ones."
    )
    selector: LabelSelector | None = Field(
        default=None, description="Labels of the namespaces, for Selector only."
    )

    @model_validator(mode="after")
    def _selects_where_it_says_so(self) -> Self:
        if self.from_ == "Selector" and self.selector is None:
            refuse("Selector requires a selector", "add selector: …")
        if self.from_ != "Selector" and self.selector is not None:
            refuse(f"{self.from_} takes no selector", "remove it", "selector")
        refuse_empty(self.selector, "write `from: All` to allow all")
        return self


class AllowedRoutes(Model):
    """The routes that may attach to the listeners of a placed Gateway."""

    namespaces: RouteNamespaces = Field(description="The namespaces of the routes.")


class GatewayAs(Model):
    """The changes to a placed Gateway; fields that are not set stay as on the hub."""

    name: Text | None = Field(default=None, description=f"Its name. {EXPRESSIONS}")
    namespace: Text | None = Field(default=None, description=f"Its namespace. {EXPRESSIONS}")
    gateway_class_name: Text | None = Field(
        default=None, description=f"Its GatewayClass. {EXPRESSIONS}"
    )
    naming: Literal["hub", "kuadrant-mgc"] | None = Field(
        default=None,
        description="The convention for names that are left out: hub keeps them (the default), "
        "kuadrant-mgc puts a kuadrant- before the namespace and adds the managed label.",
    )
    hostnames: dict[Hostname, Text] = Field(
        default_factory=dict,
        description="New hostnames by those of the hub, for listeners and, by suffix, "
        f"the routes below. {EXPRESSIONS}",
    )
    listeners: Listeners = Field(
        default=(),
        description="Listeners by name: merged into the hub's or, for an existing gateway, those "
        "that it has, with `for: NAME` where the hub's listener has another name. "
        f"{EXPRESSIONS}",
    )
    allowed_routes: AllowedRoutes | None = Field(
        default=None,
        description="Whose routes its listeners take, in place of what the hub's say. One of "
        "`listeners` that says so itself keeps that.",
    )
    labels: dict[LabelKey, str | None] = Field(
        default_factory=dict,
        description="Labels to set, or with null to remove; of an existing gateway, those that it "
        f"has, or with null lacks. {EXPRESSIONS}",
    )
    annotations: dict[LabelKey, str | None] = Field(
        default_factory=dict,
        description=f"Annotations to set, or with null to remove. {EXPRESSIONS}",
    )


_Merge = Annotated[dict[str, Any], Field(min_length=1), AfterValidator(plain_keys)]


class GatewayAPIInstalled(Model):
    """The CRDs of the Gateway API on a spoke."""

    bundle: names.BundleVersion | None = Field(
        default=None, description="The release, such as v1.4.1; default: unknown."
    )
    channel: Literal["standard", "experimental"] | None = Field(
        default=None, description="The channel; default: unknown."
    )


NamespacesLabels = dict[names.DnsLabel, dict[names.LabelKey, names.LabelValue]]


class SpokeEntry(Model):
    """A cluster that policies are placed on."""

    name: names.DnsLabel = Field(description="The name, also of its folder in the output.")
    labels: dict[names.LabelKey, names.LabelValue] = Field(
        default_factory=dict, description="The labels, for selectors."
    )
    values: dict[str, Any] = Field(
        default_factory=dict, description="Free values for expressions: spoke.values.<key>."
    )
    gateway_api: GatewayAPIInstalled = Field(
        default_factory=GatewayAPIInstalled,
        alias="gatewayAPI",
        description="The CRDs of the Gateway API on the spoke.",
    )
    namespaces: NamespacesLabels = Field(
        default_factory=dict,
        description="The labels of its namespaces, by name, where they differ from those of all.",
    )


class PlacementRule(
    Model, json_schema_extra={"anyOf": [{"required": ["gateways"]}, {"required": ["services"]}]}
):
    """A rule: the Gateways or Services to place, their spokes, and the changes to them."""

    gateways: PlacedSelection | None = Field(default=None, description="The Gateways of the hub.")
    services: PlacedSelection | None = Field(
        default=None,
        description="Services of a mesh, which the spokes have: what is attached to them goes "
        "along. In a rule without gateways, `as` may give their name and namespace.",
    )
    spokes: DecidedSelection | None = Field(
        default=None,
        description="The spokes that get them. Without it, each Gateway goes where the Placement "
        "says that its label cluster.open-cluster-management.io/placement names.",
    )
    as_: GatewayAs = Field(
        default_factory=GatewayAs, alias="as", description="The changes to the placed Gateways."
    )
    mode: Literal["create", "existing"] = Field(
        default="create",
        description="create renders the Gateway; existing means that the spoke has its own.",
    )
    routes: Literal["stay", "follow"] = Field(
        default="stay",
        description="follow moves the routes and ListenerSets of the gateway's own namespace with "
        "it, and what is local to them; the spoke must have their backends.",
    )
    optional: bool = Field(default=False, description="Accept that this selects nothing.")

    @model_validator(mode="after")
    def _places_something(self) -> Self:
        if self.gateways is None and self.services is None:
            refuse("a rule requires gateways or services", "add gateways: …")
        if self.services is not None and self.spokes is None:
            refuse("services require spokes", "say which spokes have them: spokes: …")
        others = self.as_.model_fields_set - {"name", "namespace"}
        for key in sorted(others) if self.gateways is None else ():
            alias = GatewayAs.model_fields[key].alias or key
            cure = "remove it: only the name and namespace of a Service can differ"
            refuse(f"{alias} can't be set on a Service", cure, "as", alias)
        return self

    @model_validator(mode="after")
    def _changes_no_existing_gateway(self) -> Self:
        """Refuse changes to a Gateway that is not rendered; `hostnames` may still change routes."""
        changes = {
            "gatewayClassName": self.as_.gateway_class_name,
            "allowedRoutes": self.as_.allowed_routes,
            "annotations": self.as_.annotations,
        }
        for key, value in changes.items():
            if self.mode == "existing" and value:
                cure = f"remove {key}, or use mode: create"
                refuse(f"{key} can't be set on an existing gateway", cure, "as", key)
        for index, listener in enumerate(self.as_.listeners):
            if self.mode == "create" and FOR in listener:
                cure = "name it as on the hub to change it, or use mode: existing"
                message = "only a listener of an existing gateway can stand for one of the hub"
                refuse(message, cure, "as", "listeners", index, FOR)
        return self


class OverrideTarget(Model):
    """The objects that an override changes, as they are on the hub."""

    group: names.Group | None = Field(default=None, description="Their API group; default: any.")
    kind: names.KindName = Field(description="Their kind.")
    namespace: names.DnsLabel | None = Field(
        default=None, description="Their namespace; default: any."
    )
    name: names.Subdomain | None = Field(default=None, description="Their name; default: any.")
    selector: LabelSelector | None = Field(default=None, description="Their labels; default: any.")

    @model_validator(mode="after")
    def _selects_by_something(self) -> Self:
        refuse_empty(self.selector, "leave the selector out: the kind alone means all of them")
        return self


class PatchOperation(Model):
    """One operation of a JSON Patch (RFC 6902)."""

    op: Literal["add", "remove", "replace", "move", "copy", "test"] = Field(
        description="The operation."
    )
    path: names.JsonPointer = Field(description="The place, as a JSON pointer.")
    from_: names.JsonPointer | None = Field(
        default=None, alias="from", description="The source, for move and copy."
    )
    value: Annotated[Any, AfterValidator(plain_keys)] = Field(
        default=None, description="The value to add, replace with or test for."
    )

    @model_validator(mode="after")
    def _has_what_it_needs(self) -> Self:
        needed = {"move": "from", "copy": "from", "remove": None}.get(self.op, "value")
        # Python's names of keywords end with `_`.
        given = {name.rstrip("_") for name in self.model_fields_set}
        if needed and needed not in given:
            refuse(f"{self.op} needs {needed}", f"add {needed}: …")
        for extra in sorted({"from", "value"} & given - {needed}):
            refuse(f"{self.op} takes no {extra}", "remove it", extra)
        return self


class OverrideRule(
    Choice,
    json_schema_extra={"oneOf": [{"required": [key]} for key in ("merge", "patch", "remove")]},
):
    """A change to objects on some spokes, by JSON merge patch or JSON Patch, or their removal."""

    alternatives = ("merge", "patch", "remove")

    target: OverrideTarget = Field(description="The objects, as they are on the hub.")
    spokes: DecidedSelection = Field(description="The spokes on which they are changed.")
    merge: _Merge | None = Field(
        default=None,
        description="A JSON merge patch (RFC 7386): null removes. "
        "May hold Jinja2 expressions over spoke, gateway and policy.",
    )
    patch: Annotated[Items[PatchOperation], Field(min_length=1)] | None = Field(
        default=None,
        description="A JSON Patch (RFC 6902). "
        "May hold Jinja2 expressions over spoke, gateway and policy.",
    )
    remove: OnlyTrue | None = Field(
        default=None, description="true: these spokes do not get the objects. Not for a Gateway."
    )
    optional: bool = Field(default=False, description="Accept that this matches nothing.")

    @model_validator(mode="after")
    def _removes_no_gateway(self) -> Self:
        # Without the Gateway, everything on it would be lost without a rule that says so.
        if self.remove and self.target.kind == "Gateway":
            refuse("a Gateway can't be removed by an override", "let its rule leave the spokes out")
        return self


class PlacementSpec(Model):
    """The spokes, the rules and the overrides; documents add up in the order of their names."""

    spokes: Items[SpokeEntry] = Field(default=(), description="The clusters.")
    namespaces: NamespacesLabels = Field(
        default_factory=dict,
        description="The labels that namespaces have on every spoke, by name: used to evaluate "
        "allowedRoutes selectors, beside the Namespaces of the hub.",
    )
    rules: Items[PlacementRule] = Field(
        default=(), description="The rules: which Gateways and Services go to which spokes."
    )
    overrides: Items[OverrideRule] = Field(
        default=(), description="Changes, applied in this order after everything else."
    )


class Placement(NamedDocument):
    """The placement of Gateways on spokes."""

    kind: Literal["Placement"] = Field(description="The kind of this file.")
    spec: PlacementSpec = Field(description="The spokes, rules and overrides.")
