"""Keys that a merge adds beside similar ones."""

from spokerender.model import Origin
from tests.support import cases, each, named_rows_of, rows_of
from tests.support.crds import crd
from tests.support.overriding import HUB, SPOKES, overridden, override
from tests.support.stages import auth, render, told

TARGET = "{kind: AuthPolicy, name: limited}"
LIMITED = auth(
    "limited",
    "kind: Gateway, name: web",
    metadata="labels: {team: a}",
    spec="limits: {gold: {rates: 1}, name1: {}}, maxReplicas: 3, mode: x",
)
SCHEMA = rows_of(__file__, "schema")


def similar(*overrides: str, more: str = "") -> list[str]:
    """The findings about keys."""
    documents = [*HUB, LIMITED, *([more] if more else [])]
    return told(render(documents, spokes=SPOKES, overrides="".join(overrides)).results, "SR1605")


@cases(*named_rows_of(__file__, "a_key_beside_a_similar_one_is_a_warning"))
def test_a_key_beside_a_similar_one_is_a_warning(spec: str, path: str, near: str) -> None:
    word = path.rpartition(".")[2]
    assert similar(override(TARGET, f"merge: {{spec: {spec}}}")) == [
        (
            f'SR1605 spec.overrides[0].merge.spec.{path}: adds "{word}" beside "{near}", which is '
            f'there already (did you mean "{near}"?) [eu us]'
        )
    ]


@each(*named_rows_of(__file__, "what_cannot_be_a_typo_is_not_told"))
def test_what_cannot_be_a_typo_is_not_told(patch: str) -> None:
    assert similar(override(TARGET, patch)) == []


def test_it_is_told_once_for_an_override_and_a_path() -> None:
    twice = override("{kind: AuthPolicy, namespace: infra}", "merge: {spec: {lists: 1, rulse: 1}}")
    beside = auth("other", "kind: Gateway, name: web", spec="rules: {}, list: []")
    found = render([*HUB, beside], spokes=SPOKES, overrides=twice)
    assert [r.field for r in found.results if r.code == "SR1605"] == [
        "spec.overrides[0].merge.spec.lists",
        "spec.overrides[0].merge.spec.rulse",
    ]


def test_it_is_at_the_line_of_the_override() -> None:
    found = overridden(override("{kind: AuthPolicy, name: web}", "merge: {spec: {lists: 1}}"))
    assert [r.origin for r in found.results if r.code == "SR1605"] == [
        Origin("placement.yaml", 0, 11)
    ]


@cases(*named_rows_of(__file__, "a_crd_of_the_hub_says_which_keys_there_are"))
def test_a_crd_of_the_hub_says_which_keys_there_are(spec: str, version: str, count: int) -> None:
    patch = override(TARGET, f"merge: {{spec: {spec}}}")
    assert len(similar(patch, more=crd(SCHEMA, version=version))) == count
