"""Checks of a PublishedResource's templates, paths and patterns, before any object is known."""

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
from spokerender.wings.publishing.config.published.main import (
    Mutation,
    MutationStep,
    PublishedSpec,
    RegexRewrite,
    RelatedLookup,
    RelatedSpec,
)
from spokerender.wings.publishing.contexts import TemplateEngine
from spokerender.wings.publishing.errors import PublishingError
from spokerender.wings.publishing.jsonpaths.paths import JsonPathError
from spokerender.wings.publishing.profiles import Profile

Faults = Iterator[Fault]


def check_spec(spec: PublishedSpec, profile: Profile) -> Faults:
    """Check everything that does not depend on the objects."""
    engine = TemplateEngine(profile)
    for name in ("name", "namespace"):
        pattern = getattr(spec.naming, name)
        if "{{" in pattern:
            yield from _check_template(engine, pattern, ("spec", "naming", name))
    yield from _check_mutation(engine, spec.mutation, ("spec", "mutation"))
    for index, related in enumerate(spec.related):
        yield from _check_related(engine, related, ("spec", "related", index))


def _check_mutation(engine: TemplateEngine, mutation: Mutation, field: FieldPath) -> Faults:
    yield from _check_steps(engine, mutation.spec or (), (*field, "spec"))
    yield from _check_steps(engine, mutation.status or (), (*field, "status"))


def _check_steps(engine: TemplateEngine, steps: Sequence[MutationStep], field: FieldPath) -> Faults:
    for index, step in enumerate(steps):
        at = (*field, index)
        if step.delete is not None:
            yield from _check_path(step.delete.path, (*at, "delete", "path"), jsonpaths.delete_path)
        elif step.regex is not None:
            yield from _check_path(step.regex.path, (*at, "regex", "path"), _try_put)
            yield from _check_regex(step.regex, (*at, "regex"))
        elif step.template is not None:
            yield from _check_path(step.template.path, (*at, "template", "path"), _try_put)
            template = step.template.template
            yield from _check_template(engine, template, (*at, "template", "template"))
        elif step.cel is not None:
            yield from _check_path(step.cel.path, (*at, "cel", "path"), _try_put)
            try:
                cel.check_expression(step.cel.expression, ("value", "self", "other"))
            except cel.UnevaluableError as error:
                cure = "correct the expression"
                yield Fault(BAD_EXPRESSION, str(error), cure, (*at, "cel", "expression"))


def _check_related(engine: TemplateEngine, related: RelatedSpec, field: FieldPath) -> Faults:
    for name, key in (("watch", "watch"), ("cleanup", "cleanup"), ("sync_status", "syncStatus")):
        if getattr(related, name) is not None:
            message = f"{key} has no effect here: it configures a live agent"
            yield Fault(MEANS_NOTHING, message, "", (*field, key))
    yield from _check_lookup(engine, related.object, (*field, "object"))
    if related.object.namespace is not None:
        yield from _check_lookup(engine, related.object.namespace, (*field, "object", "namespace"))
    if related.mutation is not None:
        yield from _check_mutation(engine, related.mutation, (*field, "mutation"))


def _check_lookup(engine: TemplateEngine, lookup: RelatedLookup, field: FieldPath) -> Faults:
    if lookup.reference is not None:
        at = (*field, "reference")
        yield from _check_path(lookup.reference.path, (*at, "path"), jsonpaths.get_path)
        yield from _check_regex(lookup.reference.regex, (*at, "regex"))
    if lookup.template is not None:
        yield from _check_template(engine, lookup.template.template, (*field, *_TEMPLATE))
    if lookup.selector is not None:
        at = (*field, "selector")
        for key, value in lookup.selector.match_labels.items():
            yield from _check_template(engine, key, (*at, "matchLabels", key))
            yield from _check_template(engine, value, (*at, "matchLabels", key))
        rewrite = lookup.selector.rewrite
        yield from _check_regex(rewrite.regex, (*at, "rewrite", "regex"))
        if rewrite.template is not None:
            template = rewrite.template.template
            yield from _check_template(engine, template, (*at, "rewrite", *_TEMPLATE))


_TEMPLATE = ("template", "template")


def _check_regex(regex: RegexRewrite | None, field: FieldPath) -> Faults:
    if regex is None or not regex.pattern:
        return
    try:
        pattern = regexes.compile_pattern(regex.pattern)
    except regexes.PatternError as error:
        yield Fault(BAD_PATTERN, str(error), "correct the pattern", (*field, "pattern"))
        return
    for doubt in pattern.find_doubts(regex.replacement):
        cure = "write groups as ${1}"
        yield Fault(DOUBTFUL_REPLACEMENT, doubt, cure, (*field, "replacement"))


def _check_template(engine: TemplateEngine, source: str, field: FieldPath) -> Faults:
    try:
        engine.compile(source, field)
    except PublishingError as error:
        yield error.fault


def _try_put(data: object, path: str) -> object:
    return jsonpaths.put_path(data, path, "")


def _check_path(path: str, field: FieldPath, use: Callable[[object, str], object]) -> Faults:
    """Try a path on an empty object: its faults do not depend on the object."""
    try:
        use({}, path)
    except JsonPathError as error:
        yield Fault(BAD_PATH, str(error), "correct the path", field)
        return
    if path.startswith((".", "$")):
        message = f"the path begins with {path[0]!r}, so it leads to nothing"
        yield Fault(BAD_PATH, message, "begin with a key: spec.field", field)
