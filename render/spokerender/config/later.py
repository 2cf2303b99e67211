"""Models that are made where a file has what they hold: few files do, and start-up counts."""

from __future__ import annotations

import importlib
from typing import Any, ClassVar

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from spokerender.config.base import Model


class Later:
    """Stands in annotations for the model of its name: imported when a value is held to it."""

    module: ClassVar[str]

    @classmethod
    def model(cls) -> type[Model]:
        """What it stands for."""
        model: type[Model] = getattr(importlib.import_module(cls.module), cls.__name__)
        return model

    @classmethod
    def __get_pydantic_core_schema__(cls, _: object, __: GetCoreSchemaHandler) -> CoreSchema:
        """Hold a value to the model; its errors get the place of the value, as of any model."""
        named = f"{cls.module}.{cls.__name__}:{id(cls)}"  # as pydantic does for JSON Schemas
        return core_schema.no_info_plain_validator_function(cls._held, ref=named)

    @classmethod
    def __get_pydantic_json_schema__(
        cls, _: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """The schema of the model."""
        return handler(cls.model().__pydantic_core_schema__)

    @classmethod
    def _held(cls, value: object) -> Model:
        return cls.model().model_validate(value)


def later(module: str, name: str) -> Any:  # noqa: ANN401  (a type checker is to see the model)
    """What stands for a model of another module when our own is imported."""
    return type(name, (Later,), {"module": module})
