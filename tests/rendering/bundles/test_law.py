"""The law of slots: what is done once for many spokes is what each would get alone."""

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from spokerender.findings.results import Result
from spokerender.model import slots
from spokerender.model.plan import KUSTOMIZATION
from spokerender.rendering.bundles.bundler import Bundler
from spokerender.rendering.tree import SpokeFolders
from spokerender.rendering.values.bundles import Bundle
from spokerender.rendering.values.joining import join_limits
from spokerender.rendering.values.rendered import Rendered
from tests.rendering.bundles.documents import HUB, LENIENT
from tests.support.profiles import examples
from tests.support.traps import overrides, project, read, rules, spokes


def exactly(found: Rendered) -> dict[str, Bundle]:
    """The bundles of the same fleet, every value written in the open from the beginning."""
    bundler = Bundler(
        found.hub, found.topology, found.decision, found.sync, with_slots=False, stages=found.stages
    )
    return {spoke.name: bundler.bundle(spoke) for spoke in found.decision.spokes}


def by_identity(items: Iterable[Any]) -> list[Any]:
    def identity(item: Any) -> tuple[str, str]:
        return item["kind"], str(item["metadata"])

    return sorted(items, key=identity)


def filled(bundle: Bundle) -> list[Any]:
    return [bundle.object_of(variant) for variant in bundle.blueprint.variants]


def findings(bundle: Bundle) -> set[Result]:
    """Everything that is told of one spoke, with its own values in the words."""
    return {
        Result(
            code=result.code,
            severity=result.severity,
            message=str(slots.fill_text(result.message, bundle.values)),
            cure=str(slots.fill_text(result.cure, bundle.values)),
            resource=result.resource,
            field=result.field,
            origin=result.origin,
        )
        for result in (*bundle.blueprint.results, *bundle.results)
    }


@pytest.mark.property
@settings(max_examples=examples(200), deadline=None)
@given(st.sampled_from([HUB, LENIENT]), spokes, rules, overrides)
def test_slots_change_nothing(
    documents: str,
    values: list[dict[str, Any]],
    placed: tuple[dict[str, Any] | None, ...],
    patches: list[tuple[str, dict[str, Any], dict[str, Any]]],
) -> None:
    found = project(documents, values, placed, patches)
    exact, joined = exactly(found), join_limits(found).bundles
    for name, bundle in found.bundles.items():
        assert filled(bundle) == filled(joined[name]) == filled(exact[name])
        assert findings(bundle) == findings(exact[name])
        if not any(result.severity == "error" for result in findings(bundle)):
            tree = SpokeFolders(exact, one_file=False, namespaces=None)
            assert found.tree.files(name) == tree.files(name)
            files = read(found.tree.files(name))
            del files[KUSTOMIZATION]
            assert by_identity(files.values()) == by_identity(filled(bundle))
