"""The base of all models of our files: strict, frozen, camelCase in YAML, no unknown keys."""

import importlib
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, NoReturn, Self, TypeVar

from pydantic import (
    BaseModel,
    ConfigDict,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    Strict,
    model_validator,
)
from pydantic.alias_generators import to_camel
from pydantic.json_schema import JsonSchemaValue, models_json_schema
from pydantic_core import CoreSchema, PydanticCustomError, core_schema


class Later:
    """A placeholder for a model in annotations: the model is imported when a value is validated."""

    module: ClassVar[str]

    @classmethod
    def model(cls) -> "type[Model]":
        """Return the model that the class stands for."""
        model: type[Model] = getattr(importlib.import_module(cls.module), cls.__name__)
        return model

    @classmethod
    def __get_pydantic_core_schema__(cls, _: object, __: GetCoreSchemaHandler) -> CoreSchema:
        """Validate a value by the model; errors have the same locations as for other models."""
        # A distinct reference, so that JSON Schemas name the model, and not its copy.
        named = f"{cls.module}.{cls.__name__}:{id(cls)}"  # as pydantic does for JSON Schemas
        return core_schema.no_info_plain_validator_function(
            lambda value: cls.model().model_validate(value), ref=named
        )

    @classmethod
    def __get_pydantic_json_schema__(
        cls, _: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return handler(cls.model().__pydantic_core_schema__)


def later(module: str, name: str) -> Any:  # noqa: ANN401  (a type checker is to see the model)
    """Return a placeholder for a model of another module, for a faster start."""
    return type(name, (Later,), {"module": module})


API_VERSION = "spokerender.io/v1alpha1"
ApiVersion = Literal["spokerender.io/v1alpha1"]

FAULT = "fault"
"""The error type of `refuse`, in addition to pydantic's own types."""

_Item = TypeVar("_Item")
Items = Annotated[tuple[_Item, ...], Strict(strict=False)]
"""A YAML list. In strict mode, pydantic accepts only a Python tuple; its items remain strict."""


class Model(BaseModel):
    """A mapping in one of our files."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        # An unknown key is a typo or belongs to another version; both must be seen.
        extra="forbid",
        field_title_generator=lambda name, _: name.rstrip("_").replace("_", " "),
        frozen=True,
        # Kubernetes' API servers convert nothing either: "true" is no boolean.
        strict=True,
    )


def refuse(message: str, cure: str, *at: str | int) -> NoReturn:
    """Raise our own validation error; `at` is the path below the validated value."""
    # The message is in the context, as pydantic would format braces in it.
    raise PydanticCustomError(FAULT, "{message}", {"message": message, "cure": cure, "at": at})


class Choice(Model):
    """A mapping in which exactly one of the fields in `alternatives` is given."""

    alternatives: ClassVar[tuple[str, ...]]

    @model_validator(mode="after")
    def _check_alternatives(self) -> Self:
        fields = type(self).model_fields
        keys = {fields[name].alias or name: getattr(self, name) for name in self.alternatives}
        given = [key for key, value in keys.items() if value is not None]
        if len(given) == 1:
            return self
        *others, last = keys
        choice = f"{', '.join(others)} or {last}"
        if given:
            refuse(
                f"{' and '.join(given)} can't be set together", f"keep one of {choice}", given[1]
            )
        refuse(f"one of {choice} is required", "add the one that you mean")


def json_schema(models: Mapping[str, type[Model]]) -> dict[str, Any]:
    """Return one JSON Schema (2020-12) of all our files, for editors; `kind` selects the model."""
    _, definitions = models_json_schema([(model, "validation") for model in models.values()])
    kinds = {model.__name__: kind for kind, model in models.items()}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"https://{API_VERSION}/schema.json",
        "title": "spokerender",
        "description": "A file of spokerender: its kind says which of them it is.",
        "type": "object",
        "required": ["apiVersion", "kind"],
        "properties": {"kind": {"enum": [*models]}},
        "allOf": [
            {
                "if": {"properties": {"kind": {"const": kind}}, "required": ["kind"]},
                "then": {"$ref": f"#/$defs/{kind}"},
            }
            for kind in models
        ],
        # By kind, as readers of the schema know it from the files.
        "$defs": {kinds.get(name, name): row for name, row in definitions["$defs"].items()},
    }
