"""Keys that a merge adds beside similar ones."""

from spokerender.model import Origin
from tests.support import case, cases, each
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
SCHEMA = """\
type: object
properties:
  modes: {type: object}
  limits:
    type: object
    additionalProperties: {type: object, properties: {rates: {type: integer}}}
"""


def similar(*overrides: str, more: str = "") -> list[str]:
    """The findings about keys."""
    documents = [*HUB, LIMITED, *([more] if more else [])]
    return told(render(documents, spokes=SPOKES, overrides="".join(overrides)).results, "SR1605")


@cases(
    case("too few", "{limts: {a: 1}}", "limts", "limits"),
    case("too many", "{limitss: 1}", "limitss", "limits"),
    case("another", "{limots: 1}", "limots", "limits"),
    case("swapped", "{limist: 1}", "limist", "limits"),
    case("other case", "{Limits: 1}", "Limits", "limits"),
    case("below", "{limits: {gold: {rate: 2}}}", "limits.gold.rate", "rates"),
)
def test_a_key_beside_a_similar_one_is_a_warning(spec: str, path: str, near: str) -> None:
    word = path.rpartition(".")[2]
    assert similar(override(TARGET, f"merge: {{spec: {spec}}}")) == [
        (
            f'SR1605 spec.overrides[0].merge.spec.{path}: adds "{word}" beside "{near}", which is '
            f'there already (did you mean "{near}"?) [eu us]'
        )
    ]


@each(
    case("a key that is there", "merge: {spec: {limits: {gold: {rates: 2}}}}"),
    case("a key like no other", "merge: {spec: {quota: 1}}"),
    case("a sibling of two letters more", "merge: {spec: {minReplicas: 1}}"),
    case("a number", "merge: {spec: {limits: {name2: {}}}}"),
    case("a removal", "merge: {spec: {limts: null}}"),
    case("a rename", "merge: {spec: {limits: null, limts: {}}}"),
    case("a label", "merge: {metadata: {labels: {teams: a}}}"),
    case("a JSON patch", "patch: [{op: add, path: /spec/limts, value: 1}]"),
)
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


@cases(
    case("the CRD has the key", "{modes: {}}", "v1", 0),
    case("the CRD lets people choose the keys", "{limits: {golds: {}}}", "v1", 0),
    case("the CRD has no such key", "{limts: {}}", "v1", 1),
    case("nor below such a key", "{limits: {gold: {rate: 2}}}", "v1", 1),
    case("the CRD is for another version", "{modes: {}}", "v2", 1),
)
def test_a_crd_of_the_hub_says_which_keys_there_are(spec: str, version: str, count: int) -> None:
    patch = override(TARGET, f"merge: {{spec: {spec}}}")
    assert len(similar(patch, more=crd(SCHEMA, version=version))) == count
