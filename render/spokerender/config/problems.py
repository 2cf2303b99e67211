"""Translation of pydantic's errors into faults: where, what is wrong, what to do."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias, get_args

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from spokerender.config.base import FAULT, Later, Model
from spokerender.config.names import MEANINGS
from spokerender.findings.codes import project as codes
from spokerender.findings.phrasing import describe, did_you_mean
from spokerender.findings.results import Fault
from spokerender.model import FieldPath


def explain_validation_error(error: ValidationError, model: type[Model]) -> Iterator[Fault]:
    """Yield a fault for every error of a validation of `model`."""
    for detail in error.errors(include_url=False):
        path = tuple(step for step in detail["loc"] if step != "[key]")
        match detail["type"]:
            case "extra_forbidden":
                yield _unknown_key(path, model)
            case "missing":
                yield _missing_key(path, model)
            case "too_short" if detail["input"]:
                pass  # pydantic does not count the items that are wrong themselves
            case kind if kind == FAULT:
                context = detail["ctx"]
                path += tuple(context["at"])
                message, cure = context["message"], context["cure"]
                yield Fault(codes.INVALID_VALUE, message, cure, path)
            case kind:
                message, cure = _VALUES.get(kind, _as_pydantic_says)(detail)
                yield Fault(codes.INVALID_VALUE, message, cure, path)


def _unknown_key(path: FieldPath, model: type[Model]) -> Fault:
    key = str(path[-1])
    cure = did_you_mean(key, _descriptions(model, path[:-1]), "known keys are")
    return Fault(codes.UNKNOWN_KEY, f'unknown key "{key}"', cure, path)


def _missing_key(path: FieldPath, model: type[Model]) -> Fault:
    key = str(path[-1])
    meaning = _descriptions(model, path[:-1]).get(key, "")
    cure = f"add {key}: {meaning[:1].lower()}{meaning[1:].rstrip('.')}"
    return Fault(codes.MISSING_KEY, f'the key "{key}" is missing', cure, path)


def _descriptions(model: type[Model], path: FieldPath) -> dict[str, str]:
    """Return the keys of the mapping at a path below a model, with their descriptions."""
    here: type[Model] | None = model
    for step in path:
        if isinstance(step, str) and here is not None:
            fields = {field.alias: field for field in here.model_fields.values()}
            here = _model_in(fields[step].annotation) if step in fields else None
    fields_here = here.model_fields.values() if here else ()
    return {str(field.alias): field.description or "" for field in fields_here}


def _model_in(annotation: Any) -> type[Model] | None:  # noqa: ANN401  (a type form of any shape)
    if isinstance(annotation, type) and issubclass(annotation, Model):
        return annotation
    if isinstance(annotation, type) and issubclass(annotation, Later):
        return annotation.model()
    models = (_model_in(argument) for argument in get_args(annotation))
    return next((model for model in models if model is not None), None)


Words: TypeAlias = tuple[str, str]


def _must_be(wanted: str) -> Callable[[ErrorDetails], Words]:
    return lambda detail: (f"must be {wanted}, but is {describe(detail['input'])}", "")


def _text(detail: ErrorDetails) -> Words:
    value = detail["input"]
    message = f"must be a text, but is {describe(value)}"
    return message, "write it in quotes" if isinstance(value, (bool, int, float)) else ""


def _list(detail: ErrorDetails) -> Words:
    value = detail["input"]
    cure = f"write it as a list: [{value}]" if isinstance(value, str) else ""
    return f"must be a list, but is {describe(value)}", cure


def _choice(detail: ErrorDetails) -> Words:
    choices = re.findall("'([^']*)'", detail["ctx"]["expected"])
    value = detail["input"]
    hint = did_you_mean(value, choices) if isinstance(value, str) else ""
    return f"must be one of {', '.join(choices)}, but is {describe(value)}", hint


def _pattern(detail: ErrorDetails) -> Words:
    pattern, value = detail["ctx"]["pattern"], detail["input"]
    tidy = re.sub("[_ ]", "-", value.lower())
    hint = f'did you mean "{tidy}"?' if re.fullmatch(pattern, tidy) else ""
    return f"must be {MEANINGS[pattern]}; it is {describe(value)}", hint


def _too_long(detail: ErrorDetails) -> Words:
    most, length = detail["ctx"]["max_length"], len(detail["input"])
    return f"must have at most {most} characters, but has {length}", "shorten it"


def _too_many(detail: ErrorDetails) -> Words:
    most, length = detail["ctx"]["max_length"], len(detail["input"])
    return f"must have at most {most} entries, but has {length}", "leave some out"


def _empty(_: ErrorDetails) -> Words:
    return "must not be empty", "fill it in, or leave the key out"


def _too_small(detail: ErrorDetails) -> Words:
    return f"must be more than {detail['ctx']['gt']}, but is {detail['input']}", ""


def _too_large(detail: ErrorDetails) -> Words:
    return f"must be at most {detail['ctx']['le']:,}, but is {detail['input']:,}", ""


def _less(detail: ErrorDetails) -> Words:
    return f"must be at least {detail['ctx']['ge']:,}, but is {detail['input']:,}", ""


def _as_pydantic_says(detail: ErrorDetails) -> Words:
    return detail["msg"], ""


_VALUES: Mapping[str, Callable[[ErrorDetails], Words]] = {
    "bool_type": _must_be("true or false"),
    "dict_type": _must_be("a mapping"),
    "greater_than": _too_small,
    "greater_than_equal": _less,
    "int_type": _must_be("a whole number"),
    "less_than_equal": _too_large,
    "literal_error": _choice,
    "model_type": _must_be("a mapping"),
    "string_pattern_mismatch": _pattern,
    "string_too_long": _too_long,
    "string_too_short": _empty,
    "string_type": _text,
    "too_long": _too_many,
    "too_short": _empty,
    "tuple_type": _list,
}
