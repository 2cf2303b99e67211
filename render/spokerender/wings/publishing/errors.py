"""The exception of a stage that can't publish a kind or copy an object."""

from collections.abc import Iterator
from contextlib import contextmanager

from spokerender.findings.codes import publishing as codes
from spokerender.findings.results import Fault, FindingKind
from spokerender.formats.cel import UnevaluableError
from spokerender.formats.regexes import PatternError
from spokerender.model import FieldPath
from spokerender.wings.publishing.gotemplates.values import GoTemplateError
from spokerender.wings.publishing.jsonpaths import JsonPathError


class PublishingError(Exception):
    """A fault that stops one PublishedResource or one copy; callers turn it into a finding."""

    def __init__(
        self, finding: FindingKind, message: str, cure: str = "", field: FieldPath = ()
    ) -> None:
        """`field` is the path of the fault in the PublishedResource."""
        super().__init__(message)
        self.fault = Fault(finding, message, cure, field)


@contextmanager
def errors_at(field: FieldPath) -> Iterator[None]:
    """Turn errors of templates, paths, patterns and CEL into `PublishingError` at `field`."""
    try:
        yield
    except GoTemplateError as error:
        raise PublishingError(
            codes.BAD_TEMPLATE, str(error), "correct the template", field
        ) from error
    except JsonPathError as error:
        raise PublishingError(codes.BAD_PATH, str(error), "correct the path", field) from error
    except PatternError as error:
        raise PublishingError(
            codes.BAD_PATTERN, str(error), "correct the pattern", field
        ) from error
    except UnevaluableError as error:
        cure = "correct the expression"
        raise PublishingError(codes.BAD_EXPRESSION, str(error), cure, field) from error


def no_crd_error(resource: tuple[str, str], related: FieldPath) -> PublishingError:
    """Return the error for a resource that no CRD defines; `related` is the path of its entry."""
    group, plural = resource
    message = f"no CRD defines the resource {f'{plural}.{group}'.rstrip('.')}"
    cure = "put its CRD into the hub or under spec.crds"
    return PublishingError(codes.NO_CRD, message, cure, (*related, "resource"))
