"""A metapolicy's definition: of which kind it is, what it reads and writes, and what it makes.

It may be written in several ways, each a key of its spec of which there is exactly one.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from spokerender.config.base import ApiVersion, Items, Model, exactly_one
from spokerender.config.names import (
    Argument,
    Expression,
    FilePath,
    Group,
    Identifier,
    Kind,
    Subdomain,
    Text,
    Variable,
)


class ReadKind(Model):
    """A kind, by its group and its name."""

    group: Group = Field(default="", description="Its API group; left out: the core group.")
    kind: Kind = Field(description="Its kind.")


class Check(Model):
    """Something that must not be, and what is told where it is."""

    when: Expression = Field(description="CEL: whether there is something to tell.")
    message: Text = Field(description="What is wrong; it may have expressions, as ${spec.x}.")
    severity: Literal["error", "warning", "info"] | None = Field(
        default=None, description="How bad it is; an error, if nothing is said, refuses the build."
    )
    code: Text | None = Field(
        default=None, description="The code of the finding, where it is one of spokerender's own."
    )
    cure: str = Field(default="", description="What to do about it.")
    field: str = Field(default="", description="The metapolicy's field that it is about.")
    for_each: dict[Variable, Expression] = Field(
        default={}, max_length=1, description="A name and the CEL of a list: told for each item."
    )


class Made(Model):
    """An object to make, or one for each item of a list."""

    object: dict[str, Any] = Field(
        description="A template of the object: plain YAML whose values may be ${expressions}."
    )
    for_each: dict[Variable, Expression] = Field(
        default={}, max_length=1, description="A name and the CEL of a list: one for each item."
    )
    when: Expression = Field(default="true", description="CEL: whether it is made.")
    reason: str = Field(default="", description="Why, for whoever asks; it may have expressions.")


class Changed(Model):
    """Objects to change, each by a JSON merge patch."""

    objects: Expression = Field(description="CEL: the objects, as the library finds them.")
    merge: dict[str, Any] = Field(
        description="A template of a merge patch; `target` in its expressions is the object."
    )
    when: Expression = Field(default="true", description="CEL: whether it is changed.")
    reason: str = Field(default="", description="Why, for whoever asks; it may have expressions.")
    where_they_differ: Literal["refuse", "copy"] = Field(
        default="refuse",
        description="What happens where several metapolicies want to write other values into one "
        "field: an error, or a copy of the object for the target of each.",
    )
    copy_when: Expression = Field(
        default="true", description="CEL: whether a copy would count; where not, it is an error."
    )


class Removed(Model):
    """Objects to take out."""

    objects: Expression = Field(description="CEL: the objects, as the library finds them.")
    when: Expression = Field(default="true", description="CEL: whether it is taken out.")
    reason: Text = Field(description="Why, for whoever asks; it may have expressions.")


MOST_VARIABLES = 100
"""Each is declared to all expressions after it: memory grows with the square of their number."""


class Declarative(Model):
    """A metapolicy without code: expressions, and templates of plain YAML."""

    variables: dict[Variable, Expression] = Field(
        default={},
        max_length=MOST_VARIABLES,
        description="Names for expressions; each may use those before it.",
    )
    checks: Items[Check] = Field(default=(), description="What is told, and when.")
    make: Items[Made] = Field(default=(), description="Objects to make.")
    change: Items[Changed] = Field(default=(), description="Objects to change.")
    remove: Items[Removed] = Field(default=(), description="Objects to take out.")


class PythonFunction(Model):
    """A metapolicy in Python (`spokerender.authoring`)."""

    file: FilePath | None = Field(
        default=None,
        description="A file of the project; it runs only where the command line allows that.",
    )
    function: Identifier = Field(default="render", description="Which function of the file it is.")
    entry_point: Text | None = Field(
        default=None,
        description="The name of an entry point of the group spokerender.metapolicies, which an "
        "installed package has.",
    )

    @model_validator(mode="after")
    def _is_in_one_place(self) -> Self:
        exactly_one(self, "file", "entry_point")
        return self


class ExecFunction(Model):
    """A KRM function: a program that reads a ResourceList and writes one."""

    path: FilePath = Field(
        description="The program: with a slash in it from the project's folder, without one on the "
        "PATH. It runs only where the command line allows that."
    )
    args: Items[Argument] = Field(default=(), description="Its arguments.")
    env: dict[Identifier, Argument] = Field(
        default={}, description="Its environment, besides the PATH."
    )
    timeout_seconds: Annotated[int, Field(ge=1, le=3600)] = Field(
        default=60, description="How long it may take."
    )
    max_memory_bytes: Annotated[int, Field(ge=1 << 20)] = Field(
        default=1 << 30, description="How much memory each of its processes may have."
    )
    max_output_bytes: Annotated[int, Field(ge=1 << 10)] = Field(
        default=64 << 20, description="How much it may write."
    )


class MetapolicyDefinitionSpec(Model):
    """Of which kind a metapolicy is, and what becomes of it."""

    for_: ReadKind = Field(alias="for", description="The metapolicy's kind.")
    reads: Items[ReadKind] = Field(
        default=(),
        description="The kinds that it looks at. What expressions say themselves need not be here. "
        "{group: spokerender.io, kind: Spoke} is the spoke itself: its name, labels and values.",
    )
    writes: Items[ReadKind] = Field(
        default=(),
        description="The kinds that it makes, changes or takes out. What templates say themselves "
        "need not be here.",
    )
    after: Items[Subdomain] = Field(
        default=(), description="The definitions that go before it, where that is not plain."
    )
    ships: bool = Field(
        default=False,
        description="Whether the metapolicies go to the spokes as they are, for a controller there "
        "to make what would be made here.",
    )
    declarative: Declarative | None = Field(
        default=None, description="What becomes of it, without code."
    )

    python: PythonFunction | None = Field(
        default=None, description="What becomes of it, in Python."
    )
    exec: ExecFunction | None = Field(
        default=None, description="What becomes of it, by a KRM function."
    )
    extension: Subdomain | None = Field(
        default=None, description="The name of the extension that transforms it."
    )

    @model_validator(mode="after")
    def _is_written_in_one_way(self) -> Self:
        exactly_one(self, *WAYS)
        return self


WAYS = ("declarative", "python", "exec", "extension")
"""The keys of a definition's spec that are ways to write one."""


class MetapolicyDefinitionMetadata(Model):
    """Who a definition is."""

    name: Subdomain = Field(description="Its name, that of no other definition.")


class MetapolicyDefinition(Model):
    """A kind of metapolicy, and what becomes of its objects."""

    api_version: ApiVersion = Field(description="The version of this file's format.")
    kind: Literal["MetapolicyDefinition"] = Field(description="What this file is.")
    metadata: MetapolicyDefinitionMetadata = Field(description="Who it is.")
    spec: MetapolicyDefinitionSpec = Field(description="What it says.")
