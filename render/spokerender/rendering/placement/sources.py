"""Where placements come from: documents of one kind or another, which add up.

The table is all that knows the sources. A document is given to the source that its apiVersion and
kind name; what the sources declare is joined, the spokes of one with the rules of another.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import attrgetter

from msgspec.structs import replace

from spokerender.config.documents import File, duplicates, kind_of, read_documents, refuse
from spokerender.rendering.placement import static
from spokerender.rendering.placement.source import Declared, Source
from spokerender.rendering.values.placement import Declarations

SOURCES: tuple[Source, ...] = (static.SOURCE,)
"""The first kind of the first one is what a file is told to be that does not say what it is."""


def declared(files: Iterable[File]) -> Declarations:
    """What the files of the placement declare, all together.

    Raises:
        InputError: with everything that is wrong with any of them.

    """
    kinds = [kind for source in SOURCES for kind in source.kinds]
    documents, results = read_documents(files, kinds)
    declarations = [
        source.declare([document for document in documents if kind_of(document) in source.kinds])
        for source in SOURCES
    ]
    results += (result for each in declarations for result in each.results)
    results += duplicates(name for each in declarations for name in each.names)
    refuse(results)
    return _joined(declarations)


def _joined(declarations: Sequence[Declared]) -> Declarations:
    """What all sources declare; rules and overrides count on from source to source."""
    rules = (rule for each in declarations for rule in each.rules)
    overrides = (override for each in declarations for override in each.overrides)
    spokes = (spoke for each in declarations for spoke in each.spokes)
    return Declarations(
        spokes=tuple(sorted(spokes, key=attrgetter("name"))),
        rules=tuple(replace(rule, number=number) for number, rule in enumerate(rules)),
        overrides=tuple(replace(each, number=number) for number, each in enumerate(overrides)),
    )
