"""Removes credentials from findings that quote objects, values or overrides."""

import re
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

from msgspec.structs import replace

from spokerender.findings.results import Result
from spokerender.kinds.credentials import Redactor, find_credentials, find_likely_credentials
from spokerender.kinds.kind import Kind
from spokerender.model import Manifest, Ref
from spokerender.model.memo import memoised
from spokerender.rendering.values.bundles import Bundle, Variant, sharing
from spokerender.rendering.values.placement import Decision
from spokerender.topology.hub import Hub

Secrets = frozenset[str]

_QUOTE = re.compile("[\"'`]|number")
"""A character or word that every finding with a quoted value contains."""


class Redaction:
    """Redacts the findings of a fleet; equal credentials are replaced by equal numbers."""

    def __init__(self, hub: Hub, bundles: Mapping[str, Bundle], decision: Decision) -> None:
        """Prepare; objects are searched when needed, as few findings quote a credential."""
        self._hub = hub
        self._bundles = bundles
        self._decision = decision
        self._redactor = Redactor()

    def results(self, results: Iterable[Result]) -> tuple[Result, ...]:
        """Return the findings in order, without credentials."""
        return tuple(map(self._result, results))

    def _result(self, result: Result) -> Result:
        texts = (result.message, result.cure, *(value for _, value in result.tags))
        if not any(map(_QUOTE.search, texts)):
            return result
        secrets = self._of(result.resource) | self._of_placement
        message, cure, *tags = (self._redactor.text(text, secrets) for text in texts)
        if (message, cure, *tags) == texts:
            return result
        names = (name for name, _ in result.tags)
        return replace(
            result, message=message, cure=cure, tags=tuple(zip(names, tags, strict=True))
        )

    @memoised
    def _of(self, ref: Ref | None) -> Secrets:
        """Return the credentials of an object, on the hub and on all spokes."""
        manifest = self._manifests.get(ref) if ref is not None else None
        secrets = find_credentials(self._kind(manifest), manifest.object) if manifest else Secrets()
        for variant, bundles in self._variants.get(ref, {}).values() if ref else ():
            shipped_secrets = find_credentials(self._kind(variant.shipped), variant.object)
            # A variant may have a slot in a credential; findings about a spoke show the value.
            secrets |= {bundle.text(text) for text in shipped_secrets for bundle in bundles}
        return secrets

    def _kind(self, manifest: Manifest) -> Kind:
        return self._hub.catalogue.kind(manifest.ref.group, manifest.ref.kind)

    @cached_property
    def _manifests(self) -> Mapping[Ref, Manifest]:
        return {manifest.ref: manifest for manifest in self._hub.manifests}

    @cached_property
    def _variants(self) -> Mapping[Ref, dict[int, tuple[Variant, list[Bundle]]]]:
        variants_by_ref: dict[Ref, dict[int, tuple[Variant, list[Bundle]]]] = {}
        for blueprint, bundles in sharing(self._bundles.values()):
            for variant in blueprint.variants:
                variants_of_object = variants_by_ref.setdefault(variant.manifest.ref, {})
                variants_of_object.setdefault(id(variant), (variant, []))[1].extend(bundles)
        return variants_by_ref

    @cached_property
    def _of_placement(self) -> Secrets:
        """Return likely credentials in the values of spokes and in overrides."""
        # An expression may bring a value into any object, so every finding is searched for all of
        # them.
        values: list[Any] = [dict(spoke.values) for spoke in self._decision.spokes]
        values += [override.patch for override in self._decision.overrides]
        return Secrets().union(*map(find_likely_credentials, values))
