"""What a source of placements is: the kinds of its documents, and what they declare."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from spokerender.config.documents import Document, DocumentKind, Named
from spokerender.findings.results import Result
from spokerender.model import Spoke
from spokerender.rendering.values.placement import Override, Rule


class Declared(Struct, frozen=True, eq=False):
    """What the documents of one source declare, and everything that is wrong with them.

    `names` are the spokes', each with the field that declares it, in the order of the documents: a
    spoke is declared once, by whichever source. Rules and overrides are in the order in which they
    count; their numbers count from 0.
    """

    spokes: tuple[Spoke, ...] = ()
    rules: tuple[Rule, ...] = ()
    overrides: tuple[Override, ...] = ()
    names: tuple[Named, ...] = ()
    results: tuple[Result, ...] = ()


class Source(Struct, frozen=True):
    """Documents of some kinds, and what reads all of them that there are.

    `declare` is given them in the order of their files, which must make no difference to more than
    `names`.
    """

    kinds: tuple[DocumentKind, ...]
    declare: Callable[[Sequence[Document]], Declared]
