"""Checks of a PublishedResource's templates, paths and patterns, before any object is known."""

from collections.abc import Callable, Iterator

from spokerender.config.base import Model
from spokerender.findings.codes.publishing import BAD_PATH, DOUBTFUL_REPLACEMENT, MEANS_NOTHING
from spokerender.findings.results import Fault
from spokerender.formats import cel, regexes
from spokerender.model import FieldPath
from spokerender.wings.publishing import jsonpaths
from spokerender.wings.publishing.config.published.main import (
    CelStep,
    CopyNaming,
    DeleteStep,
    GoTemplateText,
    PublishedSpec,
    RegexRewrite,
    RegexStep,
    RelatedReference,
    RelatedSelector,
    RelatedSpec,
    TemplateStep,
)
from spokerender.wings.publishing.contexts import TemplateEngine
from spokerender.wings.publishing.errors import PublishingError, errors_at
from spokerender.wings.publishing.profiles import Profile


def check_spec(spec: PublishedSpec, profile: Profile) -> Iterator[Fault]:
    """Check everything that does not depend on the objects."""
    yield from _check_value(TemplateEngine(profile), spec, ("spec",))


def _check_value(engine: TemplateEngine, value: object, field: FieldPath) -> Iterator[Fault]:
    match value:
        case tuple():
            for index, item in enumerate(value):
                yield from _check_value(engine, item, (*field, index))
        case Model():
            yield from _check_model(engine, value, field)
            for name, info in type(value).model_fields.items():
                key = info.alias or name
                yield from _check_value(engine, getattr(value, name), (*field, key))


def _check_model(engine: TemplateEngine, model: Model, field: FieldPath) -> Iterator[Fault]:
    """Check the templates, paths and patterns that are fields of the model itself."""
    match model:
        case DeleteStep():
            yield from _check_path(model.path, field, jsonpaths.delete_path)
        case RegexStep() | TemplateStep() | CelStep():
            yield from _check_path(model.path, field, _try_put)
        case RelatedReference():
            yield from _check_path(model.path, field, jsonpaths.get_path)
        case RelatedSpec():
            yield from _list_ineffective(model, field)
    if isinstance(model, RegexRewrite):
        yield from _check_regex(model, field)
    if isinstance(model, CelStep):
        variables = ("value", "self", "other")
        at = (*field, "expression")
        yield from _try(at, cel.check_expression, model.expression, variables)
    if isinstance(model, TemplateStep):
        engine = TemplateEngine(engine.profile, is_mutating=True)
    for key, source in _list_templates(model):
        yield from _try(field, engine.compile, source, (*field, *key))


def _list_templates(model: Model) -> Iterator[tuple[FieldPath, str]]:
    match model:
        case TemplateStep() | GoTemplateText():
            yield ("template",), model.template
        case CopyNaming():
            patterns = {"name": model.name, "namespace": model.namespace}
            yield from (((key,), text) for key, text in patterns.items() if "{{" in text)
        case RelatedSelector():
            for key, label in model.match_labels.items():
                yield ("matchLabels", key), key
                yield ("matchLabels", key), label


def _list_ineffective(related: RelatedSpec, field: FieldPath) -> Iterator[Fault]:
    for name, key in (("watch", "watch"), ("cleanup", "cleanup"), ("sync_status", "syncStatus")):
        if getattr(related, name) is not None:
            message = f"{key} has no effect here: it configures a live agent"
            yield Fault(MEANS_NOTHING, message, "", (*field, key))


def _try(field: FieldPath, use: Callable[..., object], *arguments: object) -> Iterator[Fault]:
    """Use a text of a language at `field`; its fault does not depend on objects."""
    try:
        with errors_at(field):
            use(*arguments)
    except PublishingError as error:
        yield error.fault


def _check_regex(regex: RegexRewrite, field: FieldPath) -> Iterator[Fault]:
    if not regex.pattern:
        return
    faults = list(_try((*field, "pattern"), regexes.compile_pattern, regex.pattern))
    yield from faults
    if faults:
        return
    for doubt in regexes.compile_pattern(regex.pattern).find_doubts(regex.replacement):
        cure = "write groups as ${1}"
        yield Fault(DOUBTFUL_REPLACEMENT, doubt, cure, (*field, "replacement"))


def _try_put(data: object, path: str) -> object:
    return jsonpaths.put_path(data, path, "")


def _check_path(
    path: str, field: FieldPath, use: Callable[[object, str], object]
) -> Iterator[Fault]:
    """Try a path on an empty object: its faults do not depend on the object."""
    faults = list(_try((*field, "path"), use, {}, path))
    yield from faults
    if not faults and path.startswith((".", "$")):
        message = f"the path begins with {path[0]!r}, so it leads to nothing"
        yield Fault(BAD_PATH, message, "begin with a key: spec.field", (*field, "path"))
