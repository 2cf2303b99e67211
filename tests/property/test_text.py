"""Law of text: what is read back from the files is exactly what the stages made."""

from __future__ import annotations

from hypothesis import assume, given

from spokerender.model.plan import HEADER, KUSTOMIZATION
from spokerender.rendering.values.layout import ALL_IN_ONE
from tests.property.fleets import Fleet, fleets
from tests.property.laws import law
from tests.support import end_to_end as e2e


@law
@given(fleets())
def test_files_read_back_are_the_model(fleet: Fleet) -> None:
    found = e2e.rendered(fleet.files)
    for spoke, bundle in found.bundles.items():
        if not e2e.errors(bundle.blueprint.results):
            read = e2e.objects(found, spoke)
            made = {name: item for name, item in read.items() if item["kind"] != "Namespace"}
            assert made == e2e.model(found, spoke)


@law
@given(fleets())
def test_a_kustomization_lists_what_is_there(fleet: Fleet) -> None:
    found = e2e.rendered(fleet.files)
    assume(not e2e.errors(found.results))
    for spoke in found.bundles:
        files = dict(found.tree.files(spoke))
        assert all(data.startswith(HEADER) and data.endswith(b"\n") for data in files.values())
        (kustomization,) = e2e.parsed(files.pop(KUSTOMIZATION))
        assert kustomization == {
            "apiVersion": "kustomize.config.k8s.io/v1beta1",
            "kind": "Kustomization",
            "resources": sorted(files),
        }
        assert fleet.layout == "object" or set(files) <= {ALL_IN_ONE}
