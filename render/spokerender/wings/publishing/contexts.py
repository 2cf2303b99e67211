"""The data that templates can use. Source: kcp-dev/api-syncagent, internal/sync/templating."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from spokerender.findings.codes.publishing import BAD_TEMPLATE
from spokerender.formats import regexes
from spokerender.model import FieldPath
from spokerender.model.shapes import as_text
from spokerender.wings.publishing import gojson, jsonpaths
from spokerender.wings.publishing.config.published import RegexRewrite
from spokerender.wings.publishing.errors import PublishingError, errors_at
from spokerender.wings.publishing.gotemplates import (
    GoTemplate,
    RenderedText,
    compile_go_template,
    values,
)

Object = Mapping[str, Any]
_MAX_FLOAT = 1.7e308


class LogicalCluster(Struct, frozen=True):
    """A workspace's logical cluster in kcp: its name, and the path of the workspace."""

    name: str
    path: str = ""

    @property
    def fields(self) -> Mapping[str, str]:
        """The name and the path as templates see them."""
        return {"ClusterName": self.name, "ClusterPath": self.path}


class MissingOutputError(PublishingError):
    """A template would print a value that does not exist."""


class TemplateEngine(Struct, frozen=True):
    """Renders templates as the agent does; templates in mutations have fewer functions."""

    is_mutating: bool = False

    def compile(self, source: str, field: FieldPath) -> GoTemplate:
        """Parse the template at `field`. Raises `PublishingError`."""
        refused = _NOT_IN_MUTATIONS if self.is_mutating else ()
        with errors_at(field):
            return compile_go_template(source, refused)

    def render(
        self, source: str, data: values.GoStruct, field: FieldPath, *, missing: str | None = None
    ) -> RenderedText:
        """Render the template at `field` and trim the text; print missing values as `missing`.

        Raises `PublishingError`; if `missing` is None, raises `MissingOutputError` for a missing
        value.
        """
        with errors_at(field):
            try:
                rendered = self.compile(source, field).render(data, missing=missing)
            # The agent prints `<no value>`, which an API server refuses as a name.
            except values.MissingValueError as error:
                cure = "give the value a default, or add the field to the object"
                raise MissingOutputError(BAD_TEMPLATE, str(error), cure, field) from error
        return RenderedText(rendered.text.strip(), rendered.is_escapable)


_REASON = "the agent has it in naming and in related objects, but not in mutations"
_NOT_IN_MUTATIONS = tuple(
    (name, f"{_REASON}; use {other}")
    for name, other in (
        ("sha3short", "sha256sum | trunc 20"),
        ("sha3sum", "sha256sum"),
        ("shortHash", "sha1sum | trunc 20"),
    )
)
"""Functions that the agent has in naming only, each with the reason for refusing it elsewhere."""


def make_name_context(data: Object, cluster: LogicalCluster) -> values.GoStruct:
    """Return the data for the templates of copies' names and namespaces."""
    return values.GoStruct("the name's context", {"Object": data, **cluster.fields})


def make_side_context(data: Object, cluster: LogicalCluster, side: str) -> values.GoStruct:
    """Return the data for templates of related objects' names; `side` is kcp or service."""
    fields = {"Object": data, "Side": side, **cluster.fields}
    return values.GoStruct("the related object's context", fields)


def make_mutation_context(
    value: jsonpaths.FoundValue | None, local: Object | None, remote: Object | None
) -> values.GoStruct:
    """Return the data for a mutation's template: the field's value, and the object on each side."""
    fields = {"Value": make_gjson_result(value), "LocalObject": local, "RemoteObject": remote}
    return values.GoStruct("the mutation's context", fields)


def make_gjson_result(result: jsonpaths.FoundValue | None) -> values.GoStruct:
    """Return the value at a path as a gjson `Result`; None becomes a result that does not exist."""
    value = result.value if result is not None else None
    text = jsonpaths.format_result(value)
    number = value if isinstance(value, int | float) else jsonpaths.read_number(as_text(value))
    if not abs(number) <= _MAX_FLOAT:  # infinite, or no number, or an integer too large for one
        number = 0
    is_true = value is True or (isinstance(value, str) and value.lower() in {"1", "t", "true"})
    return values.GoStruct(
        "gjson.Result",
        {
            "String": lambda: text,
            "Raw": gojson.encode(value, sort_keys=True, escape_html=False) if result else "",
            "Str": as_text(value),
            "Num": float(number),
            "Int": lambda: int(number),
            "Float": lambda: float(number),
            "Bool": lambda: is_true,
            "Exists": lambda: result is not None,
            "IsArray": lambda: isinstance(value, list),
            "IsObject": lambda: isinstance(value, dict),
            "Value": lambda: value,
            # The items are results as well, and those of lists and mappings print as their JSON.
            "Array": lambda: [
                jsonpaths.format_result(item) if isinstance(item, dict | list) else item
                for item in jsonpaths.list_result(value)
            ],
        },
        text=text,
    )


def replace_matches(text: str, rewrite: RegexRewrite, field: FieldPath) -> str:
    """Return a text with a pattern's matches replaced; an empty pattern matches the whole text.

    Raises `PublishingError`; `field` leads to the pattern.
    """
    if not rewrite.pattern:
        return rewrite.replacement
    with errors_at(field):
        return regexes.compile_pattern(rewrite.pattern).replace(text, rewrite.replacement)
