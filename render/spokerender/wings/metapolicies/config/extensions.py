"""An extension: a process that stays up and renders metapolicies, and how it is started."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from spokerender.config.base import ApiVersion, Items, Model, exactly_one
from spokerender.config.names import Argument, FilePath, Subdomain, Text

_Word = Annotated[Argument, Field(min_length=1)]
Seconds = Annotated[int, Field(ge=1, le=600)]


class ExtensionSpec(Model):
    """What is started, and how long it may take."""

    version: Text = Field(description="Its version, which it has to say itself as well.")
    protocol: Literal[1] = Field(
        default=1, description="The version of the protocol that it speaks."
    )
    python: FilePath | None = Field(
        default=None,
        description="A file of Python in its folder, run by the Python that runs spokerender.",
    )
    command: Annotated[Items[_Word], Field(min_length=1)] | None = Field(
        default=None,
        description="A program and its arguments. With a slash in it the program is in the folder, "
        "without one it is looked for on the PATH.",
    )
    start_seconds: Seconds = Field(default=10, description="How long it may take to start.")
    answer_seconds: Seconds = Field(default=30, description="How long one answer may take.")

    @model_validator(mode="after")
    def _is_started_in_one_way(self) -> Self:
        exactly_one(self, "python", "command")
        return self


class ExtensionMetadata(Model):
    """Who an extension is."""

    name: Subdomain = Field(description="Its name, that of no other extension.")


class Extension(Model):
    """An extension. The folder that its file is in is its own: it is started there."""

    api_version: ApiVersion = Field(description="The version of this file's format.")
    kind: Literal["Extension"] = Field(description="What this file is.")
    metadata: ExtensionMetadata = Field(description="Who it is.")
    spec: ExtensionSpec = Field(description="What it says.")
