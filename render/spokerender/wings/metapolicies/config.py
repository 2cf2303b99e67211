"""The models of definitions, extensions and assertions, and the reader of their files."""

from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field

from spokerender.config.base import Choice, Items, Model
from spokerender.config.documents import (
    NamedDocument,
    Written,
    document_name,
    duplicates,
    parsed,
    raise_results,
    read_documents,
)
from spokerender.config.names import (
    Argument,
    CelExpression,
    FilePath,
    Group,
    Identifier,
    KindName,
    Subdomain,
    Text,
    Variable,
)
from spokerender.findings.codes.project import INVALID_VALUE
from spokerender.findings.phrasing import did_you_mean
from spokerender.findings.results import Fault
from spokerender.model.sources import File

_ForEach = Annotated[dict[Variable, CelExpression], Field(max_length=1)]
_Objects = Annotated[
    CelExpression,
    Field(description="A CEL list of objects, as the functions of the library find them."),
]
_REASON = "Why, as `explain` shows it; may have ${expressions}."
_Reason = Annotated[str, Field(description=_REASON)]


def _loop(effect: str) -> Any:  # noqa: ANN401  (a field's default)
    return Field(default={}, description=f"A name and a CEL list: {effect}")


def _condition(verb: str) -> Any:  # noqa: ANN401  (a field's default)
    return Field(default="true", description=f"A CEL condition: {verb} only where it is true.")


class ReadKind(Model):
    """A kind, by its API group and its name."""

    group: Group = Field(default="", description="The API group; empty for the core group.")
    kind: KindName = Field(description="The name of the kind.")


def pairs_of(kinds: Iterable[ReadKind]) -> frozenset[tuple[str, str]]:
    """Return kinds as pairs of a group and a name."""
    return frozenset((kind.group, kind.kind) for kind in kinds)


class Check(Model):
    """A condition that must not hold, and the finding to report where it does."""

    when: CelExpression = Field(description="A CEL condition: report the finding where it is true.")
    message: Text = Field(description="What is wrong; may have ${expressions}, such as ${spec.x}.")
    severity: Literal["error", "warning", "info"] | None = Field(
        default=None,
        description="The severity; by default that of the code. An error refuses the build.",
    )
    code: Text | None = Field(
        default=None, description="The code, for a finding that spokerender defines (SR28xx)."
    )
    cure: str = Field(default="", description="What to do about it; may have ${expressions}.")
    field: str = Field(default="", description="The path of the metapolicy's field that is wrong.")
    for_each: _ForEach = _loop("the condition is tested for each item.")


class Made(Model):
    """An object to create, or one for each item of a list."""

    object: dict[str, Any] = Field(
        description="A template of the object: plain YAML whose values may have ${expressions}."
    )
    for_each: _ForEach = _loop("one object is created for each item.")
    when: CelExpression = _condition("create the object")
    reason: _Reason = ""


class Changed(Model):
    """Objects to change, each by a JSON merge patch."""

    objects: _Objects
    merge: dict[str, Any] = Field(
        description="A template of a JSON merge patch; `target` in its expressions is the object."
    )
    when: CelExpression = _condition("change the object")
    reason: _Reason = ""
    where_they_differ: Literal["refuse", "copy"] = Field(
        default="refuse",
        description="What to do if several metapolicies write different values into one field: "
        "report an error, or make a copy of the object for the target of each.",
    )
    copy_when: CelExpression = Field(
        default="true",
        description="A CEL condition: a copy takes effect only where it is true; elsewhere "
        "different values are an error.",
    )


class Removed(Model):
    """Objects to remove."""

    objects: _Objects
    when: CelExpression = _condition("remove the object")
    reason: Text = Field(description=_REASON)


MAX_VARIABLES = 100
"""Every variable is declared to all expressions after it: memory grows with their square."""


class Declarative(Model):
    """A metapolicy without code: expressions, and templates of plain YAML."""

    variables: dict[Variable, CelExpression] = Field(
        default={},
        max_length=MAX_VARIABLES,
        description="Names for CEL expressions; an expression may use the names before it.",
    )
    checks: Items[Check] = Field(default=(), description="The findings to report.")
    make: Items[Made] = Field(default=(), description="The objects to create.")
    change: Items[Changed] = Field(default=(), description="The objects to change.")
    remove: Items[Removed] = Field(default=(), description="The objects to remove.")


class PythonFunction(Choice):
    """A metapolicy in Python (`spokerender.authoring`)."""

    alternatives = ("file", "entry_point")

    file: FilePath | None = Field(
        default=None,
        description="A file of the project. It runs only with --allow-project-code.",
    )
    function: Identifier = Field(default="render", description="The function in the file.")
    entry_point: Text | None = Field(
        default=None,
        description="The name of an entry point that an installed package offers in the group "
        "spokerender.metapolicies.",
    )


class ExecFunction(Model):
    """A KRM function: a program that reads a ResourceList and writes one."""

    path: FilePath = Field(
        description="The program: with a slash, a file of the project; without one, a name on the "
        "PATH. It runs only with --allow-project-code."
    )
    args: Items[Argument] = Field(default=(), description="The program's arguments.")
    env: dict[Identifier, Argument] = Field(
        default={}, description="Environment variables, in addition to the PATH."
    )
    timeout_seconds: Annotated[int, Field(ge=1, le=3600)] = Field(
        default=60, description="The seconds that a run may take."
    )
    max_memory_bytes: Annotated[int, Field(ge=1 << 20)] = Field(
        default=1 << 30, description="The memory that a process of it may have."
    )
    max_output_bytes: Annotated[int, Field(ge=1 << 10)] = Field(
        default=64 << 20, description="The bytes that it may write."
    )


class MetapolicyDefinitionSpec(Choice):
    """The kind of a metapolicy, and the function that renders it."""

    alternatives = ("declarative", "python", "exec", "extension")

    for_: ReadKind = Field(alias="for", description="The kind of the metapolicies.")
    reads: Items[ReadKind] = Field(
        default=(),
        description="The kinds that the function looks at; those that expressions name need not be "
        "listed. {group: spokerender.io, kind: Spoke} is the spoke: its name, labels and values.",
    )
    writes: Items[ReadKind] = Field(
        default=(),
        description="The kinds that the function creates, changes or removes; those that templates "
        "name need not be listed.",
    )
    after: Items[Subdomain] = Field(
        default=(),
        description="The definitions that run before this one, where that does not follow from "
        "what they read and write.",
    )
    ships: bool = Field(
        default=False,
        description="Ship the metapolicies to the spokes, and make nothing of them: a controller "
        "there does that. What a function changes of a metapolicy itself ships in any case.",
    )
    declarative: Declarative | None = Field(default=None, description="The function, without code.")
    python: PythonFunction | None = Field(default=None, description="The function, in Python.")
    exec: ExecFunction | None = Field(default=None, description="The function, as a KRM function.")
    extension: Subdomain | None = Field(
        default=None, description="The name of the extension that has the function."
    )


class MetapolicyDefinition(NamedDocument):
    """The definition of a kind of metapolicy."""

    kind: Literal["MetapolicyDefinition"] = Field(description="The kind of this file.")
    spec: MetapolicyDefinitionSpec = Field(description="What the definition says.")


_Word = Annotated[Argument, Field(min_length=1)]
Seconds = Annotated[int, Field(ge=1, le=600)]


class ExtensionSpec(Choice):
    """The program of an extension, and its time limits."""

    alternatives = ("python", "command")

    version: Text = Field(description="The version, which the extension itself must report, too.")
    protocol: Literal[1] = Field(
        default=1, description="The version of the protocol that it speaks."
    )
    python: FilePath | None = Field(
        default=None,
        description="A Python file in its folder, run by the Python that runs spokerender.",
    )
    command: Annotated[Items[_Word], Field(min_length=1)] | None = Field(
        default=None,
        description="A program and its arguments. With a slash, the program is a file in the "
        "folder; without one, a name on the PATH.",
    )
    start_seconds: Seconds = Field(default=10, description="The seconds that it may take to start.")
    answer_seconds: Seconds = Field(default=30, description="The seconds that an answer may take.")


class ExtensionFile(NamedDocument):
    """An extension: a process that renders metapolicies, started in the folder of its file."""

    kind: Literal["Extension"] = Field(description="The kind of this file.")
    spec: ExtensionSpec = Field(description="What the extension is.")


class Assertion(Model):
    """A condition that must hold on every spoke, over its topology and what is in force there."""

    name: Subdomain = Field(description="The name, unique among assertions.")
    that: CelExpression = Field(description="The CEL condition.")
    for_each: _ForEach = _loop("the condition must hold for each item.")
    when: CelExpression = _condition("test")
    message: Text = Field(
        description="What is wrong where the condition does not hold; may have ${expressions}, "
        "such as ${path.name}."
    )
    cure: str = Field(default="", description="What to do about it.")
    severity: Literal["error", "warning", "info"] = Field(
        default="error", description="The severity; `check` fails for an error."
    )


ExtensionDocument: TypeAlias = Written[ExtensionFile]


class MetapolicyDocument(Written[MetapolicyDefinition], frozen=True, eq=False):
    """A definition, its place in the files, and the extension that the definition names, if any."""

    extension: ExtensionDocument | None = None

    @property
    def name(self) -> str:
        """The name of the definition."""
        return self.model.metadata.name

    @property
    def kind(self) -> tuple[str, str]:
        """The group and the name of the kind of the definition's metapolicies."""
        return self.model.spec.for_.group, self.model.spec.for_.kind


def load_metapolicies(files: Sequence[File]) -> tuple[MetapolicyDocument, ...]:
    """Return all definitions, in the order of the files. Raises `InputError` with every problem."""
    documents, results = read_documents(files, ["MetapolicyDefinition", "Extension"])
    extension_documents = [item for item in documents if item.value["kind"] == "Extension"]
    definition_documents = [
        item for item in documents if item.value["kind"] == "MetapolicyDefinition"
    ]
    extensions = parsed(extension_documents, ExtensionFile, results)
    are_all_valid = len(extensions) == len(extension_documents)
    extension_by_name = {item.model.metadata.name: item for item in extensions}
    definitions = []
    for item in parsed(definition_documents, MetapolicyDefinition, results):
        name = item.model.spec.extension
        extension = extension_by_name.get(name or "")
        if name is not None and extension is None and are_all_valid:
            suggestion = did_you_mean(name, extension_by_name)
            cure = suggestion or "list its file in spec.metapolicies of the fleet file"
            message, at = f'there is no extension "{name}"', ("spec", "extension")
            results.append(item.written.result(Fault(INVALID_VALUE, message, cure, at)))
        definitions.append(MetapolicyDocument(item.model, item.written, extension))
    names = [document_name(item, "definition") for item in definitions]
    names += [document_name(item, "extension") for item in extensions]
    results += duplicates(names)
    raise_results(results)
    return tuple(definitions)
