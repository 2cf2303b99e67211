"""YAML exactly as Kubernetes reads it: the only package that imports YAML libraries."""

from spokerender.formats.yamlio.compose import (
    UnprovenError as UnprovenError,
    compose as compose,
    prove as prove,
    proven as proven,
)
from spokerender.formats.yamlio.emit import (
    TextTemplate as TextTemplate,
    cut_at_marks as cut_at_marks,
    emit as emit,
    mark as mark,
    scalar as scalar,
    scalars as scalars,
    unsupported_key as unsupported_key,
    write_item as write_item,
)
from spokerender.formats.yamlio.reading import (
    Document as Document,
    Problem as Problem,
    first_alias as first_alias,
    item_lines as item_lines,
    locate as locate,
    read as read,
)
from spokerender.formats.yamlio.simple import unsupported as unsupported
