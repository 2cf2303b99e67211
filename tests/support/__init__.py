"""What many tests build on: projects, stages, fleets; and what most of them import."""

from tests.support.cases import case as case, cases as cases, each as each
from tests.support.objects import manifest as manifest
from tests.support.texts import (
    named_rows_of as named_rows_of,
    rows_of as rows_of,
    text_of as text_of,
)
