"""What is made for engines is taken by the CRDs that they come with, whatever is asked for."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
from hypothesis import given, strategies as st

from spokerender.model.names import LABEL
from spokerender.rendering.tree import SpokeFolders
from spokerender.rendering.values.rendered import Rendered
from spokerender.wings.delivery.engine import Delivered
from spokerender.wings.delivery.settings import Delivery
from tests.conftest import ROOT
from tests.support import cases, cyaml, each, rows_of
from tests.support.gopath import directories, matches
from tests.support.project import rendered_folder
from tests.wings.delivery.delivering import deliver, delivered, spoke
from tests.wings.delivery.engines import (
    GIT,
    VARIANTS,
    delivered_by,
    engines_crds,
    fleet_files,
    of_engines,
    refused,
)
from tests.wings.delivery.test_ocm import shipped, thing

EXAMPLES = sorted(path.name for path in (ROOT / "examples").iterdir() if path.is_dir())


@cache
def example(name: str) -> Rendered:
    return rendered_folder(ROOT / "examples" / name)


@each(*EXAMPLES)
def test_every_file_is_taken(name: str, fixtures: Path) -> None:
    crds = engines_crds(fixtures)
    for variant, asked in VARIANTS.items():
        made = of_engines(delivered_by(example(name), asked))
        assert made, variant
        assert [no for value in made for no in refused(value, crds)] == [], variant


@each(False, True)
def test_so_it_is_whatever_the_tree_is_like(one_file: bool, fixtures: Path) -> None:
    """With Namespaces, and with all of a spoke's objects in one file."""
    crds = engines_crds(fixtures)
    for variant, asked in VARIANTS.items():
        tree = delivered_by(example("shop"), asked, one_file=one_file, namespaces={})
        assert [no for value in of_engines(tree) for no in refused(value, crds)] == [], variant


def test_what_many_spokes_share_is_taken(fixtures: Path) -> None:
    """A ReplicaSet of OCM, which fits only spokes with equal trees."""
    asked = {"placement": "edge", "namespace": "policies", "spokes": {"names": ["eu", "us"]}}
    route, policy = thing("a"), thing("p", "AuthPolicy", "kuadrant.io")
    objects = {name: [shipped(route), shipped(policy)] for name in ("eu", "us")}
    for more in ({}, {"manifestLimit": 1024}, {"deletion": "orphan", "permissions": False}):
        fleet = Delivered("clusters", [*map(spoke, objects)], objects.__getitem__, {})
        settings = Delivery.model_validate({"ocm": {"replicaSets": [asked], **more}})
        (files,), problems = deliver(settings, fleet)
        assert problems == ()
        (text,) = files.values()
        sets = list(cyaml.safe_load_all(text))
        assert {each["kind"] for each in sets} == {"ManifestWorkReplicaSet"}
        assert [no for value in sets for no in refused(value, engines_crds(fixtures))] == []


def test_a_file_with_a_field_that_is_none_would_be_refused(fixtures: Path) -> None:
    ((made,),) = fleet_files(delivered_by(example("shop"), VARIANTS["argocd"])).values()
    made["spec"]["syncPolicies"] = {}
    (unknown,) = refused(made, engines_crds(fixtures))
    assert "spec.syncPolicies" in unknown
    del made["spec"]["syncPolicies"], made["spec"]["template"]["spec"]["project"]
    (missing,) = refused(made, engines_crds(fixtures))
    assert "spec.template.spec.project" in missing


def folders_of(tree: SpokeFolders, output: str) -> Iterator[str]:
    """Every folder of a repository that has the rendered tree at `output`, and more."""
    files = ["hub/gateways.yaml", ".git/config", "README.md", f"{output}/.cache/x/y"]
    files += (f"{output}/{name}/{path}" for name in tree.folders for path in tree.paths(name))
    parents = {str(parent) for path in files for parent in PurePosixPath(path).parents}
    yield from sorted(parents - {"."})


@each(*EXAMPLES)
def test_the_generator_takes_the_folders_of_all_spokes_and_no_other(name: str) -> None:
    found = example(name)
    tree = delivered_by(found, VARIANTS["argocd, elsewhere"])
    ((made,),) = fleet_files(tree).values()
    (generator,) = made["spec"]["generators"]
    path = "deploy/[a]*?"
    taken = directories(generator["git"], folders_of(tree, path))
    assert taken == sorted(f"{path}/{spoke}" for spoke in found.bundles)


@pytest.mark.property
@given(
    path=st.text(alphabet="ab-_.*?[]^\\/ é", min_size=1).filter(
        lambda text: ".." not in text and not text.startswith("/") and "/." not in f"/{text}"
    ),
    spokes=st.sets(st.from_regex(f"^{LABEL}\\Z").filter(lambda name: len(name) < 64), max_size=4),
)
def test_wherever_the_folder_is(path: str, spokes: set[str], texts: dict[str, str]) -> None:
    asked = Delivery.model_validate({"argocd": GIT | {"path": path}})
    ((made,),) = delivered(asked, sorted(spokes), "clusters", texts).values()
    (generator,) = made["spec"]["generators"]
    folder = PurePosixPath(path)
    wanted = [str(folder / name) for name in sorted(spokes)]
    others = ["hub", f"{folder}", f"{folder}/_fleet", f"{folder}/_fleet/argocd", f"{folder}x/eu"]
    others += (f"{each}/shop" for each in wanted)
    assert directories(generator["git"], [*wanted, *others]) == wanted


@cases(*rows_of(__file__, "patterns_are_read_as_go_reads_them"))
def test_patterns_are_read_as_go_reads_them(pattern: str, name: str, is_matched: Any) -> None:
    assert matches(pattern, name) is is_matched
