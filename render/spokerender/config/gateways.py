"""Gateways in the placement file: how a rule selects them, and the changes to them."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, WithJsonSchema, model_validator

from spokerender.config.base import Choice, Items, Model, refuse
from spokerender.config.names import Hostname, LabelKey, NamespacedName, Text
from spokerender.config.selectors import LabelSelector, refuse_empty
from spokerender.formats.templating.template import is_template
from spokerender.model.shapes import Json

EXPRESSIONS = "May hold Jinja2 expressions over spoke and gateway."

FOR = "for"
_NAME = {"type": "string", "minLength": 1}
MOST_LISTENERS = 64
"""`maxItems` of the Gateway API's CRDs."""


def plain_keys(data: Json, *at: str | int) -> Json:
    """Refuse an expression in a key: only values are evaluated, so it would ship as it is."""
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


class GatewaySelection(
    Choice, json_schema_extra={"oneOf": [{"required": ["names"]}, {"required": ["selector"]}]}
):
    """A selection of Gateways of the hub: by name or by label."""

    alternatives = ("names", "selector")

    names: Annotated[Items[NamespacedName], Field(min_length=1)] | None = Field(
        default=None, description="The Gateways, as namespace/name."
    )
    selector: LabelSelector | None = Field(default=None, description="The Gateways by label.")

    @model_validator(mode="after")
    def _says_one_thing(self) -> Self:
        refuse_empty(self.selector, "name the gateways, or a label that all of them have")
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
