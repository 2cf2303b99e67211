"""What can be said of a PublishedResource's templates, paths and patterns before any object."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from spokerender.findings.codes.publishing import (
    BAD_EXPRESSION,
    BAD_PATH,
    BAD_PATTERN,
    DOUBTFUL_REPLACEMENT,
    MEANS_NOTHING,
)
from spokerender.findings.results import Fault
from spokerender.formats import cel
from spokerender.model import FieldPath
from spokerender.wings.publishing import jsonpaths, regexes
from spokerender.wings.publishing.config.published import (
    Lookup,
    MutationStep,
    PublishedSpec,
    Regex,
    RelatedSpec,
)
from spokerender.wings.publishing.contexts import Engine
from spokerender.wings.publishing.problems import Refused
from spokerender.wings.publishing.profiles import Profile


def problems_of(spec: PublishedSpec, profile: Profile) -> Iterator[Fault]:
    """Everything that is wrong, or worth a word, whatever the objects are."""
    engine = Engine(profile)
    for name in ("name", "namespace"):
        pattern = getattr(spec.naming, name)
        if "{{" in pattern:
            yield from _template(engine, pattern, ("spec", "naming", name))
    for direction in ("spec", "status"):
        steps = getattr(spec.mutation, direction)
        yield from _steps(engine, steps, ("spec", "mutation", direction))
    for index, related in enumerate(spec.related):
        yield from _related(engine, related, ("spec", "related", index))


def _steps(
    engine: Engine, steps: Sequence[MutationStep] | None, field: FieldPath
) -> Iterator[Fault]:
    for index, step in enumerate(steps or ()):
        at = (*field, index)
        if step.delete is not None:
            yield from _path(step.delete.path, (*at, "delete", "path"), jsonpaths.delete_path)
        elif step.regex is not None:
            yield from _path(step.regex.path, (*at, "regex", "path"), _put)
            yield from _pattern(step.regex.pattern, step.regex.replacement, (*at, "regex"))
        elif step.template is not None:
            yield from _path(step.template.path, (*at, "template", "path"), _put)
            yield from _template(engine, step.template.template, (*at, "template", "template"))
        elif step.cel is not None:
            yield from _path(step.cel.path, (*at, "cel", "path"), _put)
            try:
                cel.check_expression(step.cel.expression, ("value", "self", "other"))
            except cel.UnevaluableError as error:
                where = (*at, "cel", "expression")
                yield Fault(BAD_EXPRESSION, str(error), "correct the expression", where)


def _related(engine: Engine, related: RelatedSpec, field: FieldPath) -> Iterator[Fault]:
    for name, key in (("watch", "watch"), ("cleanup", "cleanup"), ("sync_status", "syncStatus")):
        if getattr(related, name) is not None:
            message = f"{key} means nothing here: it is for a live agent"
            yield Fault(MEANS_NOTHING, message, "", (*field, key))
    yield from _lookup(engine, related.object, (*field, "object"))
    if related.object.namespace is not None:
        yield from _lookup(engine, related.object.namespace, (*field, "object", "namespace"))
    if related.mutation is not None:
        for direction in ("spec", "status"):
            steps = getattr(related.mutation, direction)
            yield from _steps(engine, steps, (*field, "mutation", direction))


def _lookup(engine: Engine, lookup: Lookup, field: FieldPath) -> Iterator[Fault]:
    if lookup.reference is not None:
        at = (*field, "reference")
        yield from _path(lookup.reference.path, (*at, "path"), jsonpaths.get_path)
        yield from _regex(lookup.reference.regex, (*at, "regex"))
    if lookup.template is not None:
        at = (*field, "template", "template")
        yield from _template(engine, lookup.template.template, at)
    if lookup.selector is not None:
        at = (*field, "selector")
        for key, value in lookup.selector.match_labels.items():
            yield from _template(engine, key, (*at, "matchLabels", key))
            yield from _template(engine, value, (*at, "matchLabels", key))
        rewrite = lookup.selector.rewrite
        yield from _regex(rewrite.regex, (*at, "rewrite", "regex"))
        if rewrite.template is not None:
            where = (*at, "rewrite", "template", "template")
            yield from _template(engine, rewrite.template.template, where)


def _regex(regex: Regex | None, field: FieldPath) -> Iterator[Fault]:
    if regex is not None:
        yield from _pattern(regex.pattern, regex.replacement, field)


def _pattern(pattern: str, replacement: str, field: FieldPath) -> Iterator[Fault]:
    if not pattern:
        return
    try:
        compiled = regexes.compile_pattern(pattern)
    except regexes.PatternError as problem:
        yield Fault(BAD_PATTERN, str(problem), "correct the pattern", (*field, "pattern"))
        return
    for doubt in compiled.find_doubts(replacement):
        cure = "write groups as ${1}"
        yield Fault(DOUBTFUL_REPLACEMENT, doubt, cure, (*field, "replacement"))


def _template(engine: Engine, source: str, field: FieldPath) -> Iterator[Fault]:
    try:
        engine.compiled(source, field)
    except Refused as refused:
        yield refused.fault


def _put(data: object, path: str) -> object:
    return jsonpaths.put_path(data, path, "")


def _path(path: str, field: FieldPath, use: Callable[[object, str], object]) -> Iterator[Fault]:
    """A path is tried on nothing: what it is wrong in does not depend on the object."""
    try:
        use({}, path)
    except jsonpaths.JsonPathError as problem:
        yield Fault(BAD_PATH, str(problem), "correct the path", field)
        return
    if path.startswith((".", "$")):
        message = f"the path begins with {path[0]!r}, and leads nowhere"
        yield Fault(BAD_PATH, message, "begin with a key: spec.field", field)
