"""Translation of pydantic's errors into faults: where, what is wrong, what to do."""

import re
from collections.abc import Iterator, Mapping, Sized
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
                cure = did_you_mean(
                    str(path[-1]), _descriptions(model, path[:-1]), "known keys are"
                )
                yield Fault(codes.UNKNOWN_KEY, f'unknown key "{path[-1]}"', cure, path)
            case "missing":
                meaning = _descriptions(model, path[:-1]).get(str(path[-1]), "")
                cure = f"add {path[-1]}: {meaning[:1].lower()}{meaning[1:].rstrip('.')}"
                yield Fault(codes.MISSING_KEY, f'the key "{path[-1]}" is missing', cure, path)
            case "too_short" if detail["input"]:
                pass  # pydantic does not count the items that are wrong themselves
            case kind if kind == FAULT:
                context = detail["ctx"]
                path += tuple(context["at"])
                yield Fault(codes.INVALID_VALUE, context["message"], context["cure"], path)
            case _:
                yield Fault(codes.INVALID_VALUE, *_explain(detail), path)


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


_PHRASES: Mapping[str, Words] = {
    "bool_type": ("must be true or false, but is {described}", ""),
    "dict_type": ("must be a mapping, but is {described}", ""),
    "greater_than": ("must be more than {gt}, but is {value}", ""),
    "greater_than_equal": ("must be at least {ge:,}, but is {value:,}", ""),
    "int_type": ("must be a whole number, but is {described}", ""),
    "less_than_equal": ("must be at most {le:,}, but is {value:,}", ""),
    "model_type": ("must be a mapping, but is {described}", ""),
    "string_too_long": (
        "must have at most {max_length} characters, but has {length}",
        "shorten it",
    ),
    "string_too_short": ("must not be empty", "fill it in, or leave the key out"),
    "too_long": (
        "must have at most {max_length} entries, but has {length}",
        "leave some out",
    ),
    "too_short": ("must not be empty", "fill it in, or leave the key out"),
}
"""What is wrong and the cure, by pydantic's type of error; the names are of `_explain`."""


def _explain(detail: ErrorDetails) -> Words:
    value, context = detail["input"], detail.get("ctx", {})
    match detail["type"]:
        case "string_type":
            cure = "write it in quotes" if isinstance(value, (bool, int, float)) else ""
            return f"must be a string, but is {describe(value)}", cure
        case "tuple_type":
            cure = f"write it as a list: [{value}]" if isinstance(value, str) else ""
            return f"must be a list, but is {describe(value)}", cure
        case "literal_error":
            choices = re.findall("'([^']*)'", context["expected"])
            cure = did_you_mean(value, choices) if isinstance(value, str) else ""
            return f"must be one of {', '.join(choices)}, but is {describe(value)}", cure
        case "string_pattern_mismatch":
            tidy = re.sub("[_ ]", "-", value.lower())
            cure = f'did you mean "{tidy}"?' if re.fullmatch(context["pattern"], tidy) else ""
            return f"must be {MEANINGS[context['pattern']]}; it is {describe(value)}", cure
    if detail["type"] not in _PHRASES:
        return detail["msg"], ""
    message, cure = _PHRASES[detail["type"]]
    length = len(value) if isinstance(value, Sized) else 0
    return message.format(**context, value=value, described=describe(value), length=length), cure
