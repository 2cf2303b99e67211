"""Definitions: read from our own files, compiled, and every problem with them at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from spokerender.findings.codes.metapolicies import BAD_DEFINITION
from spokerender.findings.errors import InputError
from spokerender.findings.results import Fault, Result
from spokerender.rendering.values.stages import GroupKind
from spokerender.wings.metapolicies import model
from spokerender.wings.metapolicies.config.definitions import MetapolicyDocument
from spokerender.wings.metapolicies.ways import WAYS


class Definition(Struct, frozen=True, eq=False):
    """A kind of metapolicy, and the function that makes edits of its objects."""

    document: MetapolicyDocument
    way: str
    function: model.Function

    @property
    def name(self) -> str:
        """Its name."""
        return self.document.model.metadata.name

    @property
    def kind(self) -> GroupKind:
        """The kind that its metapolicies are of."""
        said = self.document.model.spec.for_
        return said.group, said.kind

    @property
    def after(self) -> frozenset[str]:
        """The definitions that go before it."""
        return frozenset(self.document.model.spec.after)

    @property
    def ships(self) -> bool:
        """Whether its metapolicies ship as they are, and nothing is made of them."""
        return self.document.model.spec.ships


def read(
    documents: Sequence[MetapolicyDocument], resources: model.Resources
) -> tuple[Definition, ...]:
    """The definitions of all documents, by name.

    Raises:
        InputError: with everything that is wrong with them.

    """
    found: list[Definition] = []
    results: list[Result] = []
    for document in documents:
        spec = document.model.spec
        way = next(name for name in WAYS if getattr(spec, name) is not None)
        function, faults = WAYS[way](document, resources)
        results += (
            fault.result(None, document.at(*fault.field)) for fault in dict.fromkeys(faults)
        )
        found.append(Definition(document, way, function))
    results += _of_one_kind(found)
    results += _unknown_names(found)
    if results:
        raise InputError(tuple(dict.fromkeys(results)))
    return tuple(sorted(found, key=lambda each: each.name))


def _of_one_kind(definitions: Iterable[Definition]) -> Iterator[Result]:
    first: dict[GroupKind, Definition] = {}
    for each in definitions:
        other = first.setdefault(each.kind, each)
        if other is not each:
            message = f"{each.kind[1]} has a definition already, in {other.document.at()}"
            fault = Fault(BAD_DEFINITION, message, "keep one of the two", ("spec", "for"))
            yield fault.result(None, each.document.at("spec", "for"))


def _unknown_names(definitions: Sequence[Definition]) -> Iterator[Result]:
    names = {each.name for each in definitions}
    for each in definitions:
        for index, name in enumerate(each.document.model.spec.after):
            if name not in names:
                at = ("spec", "after", index)
                fault = Fault(BAD_DEFINITION, f'there is no definition "{name}"', "", at)
                yield fault.result(None, each.document.at(*at))
