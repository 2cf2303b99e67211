"""PublishedResources: which of upstream's own are right, and what is wrong with the others."""

from pathlib import Path
from typing import Any

import yaml

from spokerender.wings.publishing.config.published import read_published
from tests.support import cases, cyaml, each, rows_of

_API = {"apiVersion": "syncagent.kcp.io/v1alpha1"}


def _examples(fixtures: Path, folder: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for path in sorted((fixtures / "api-syncagent/upstream" / folder).glob("*.yaml")):
        try:
            documents = list(cyaml.safe_load_all(path.read_text(encoding="utf-8")))
        except yaml.YAMLError:  # one of them is no YAML
            continue
        for index, data in enumerate(documents):
            if isinstance(data, dict) and data.get("kind") == "PublishedResource":
                found[f"{path.stem}[{index}]"] = data
    return found


def test_of_upstreams_examples_few_are_right_and_the_others_are_told_where(fixtures: Path) -> None:
    examples = _examples(fixtures, "docs-examples")
    read = {name: read_published(data) for name, data in examples.items()}
    assert len(read) == 13
    assert [name for name, (spec, _) in read.items() if spec is not None] == [
        "publish-resources_index-01-publishedresource[0]",
        "publish-resources_index-11-provide-certificates[0]",
        "publish-resources_related-resources-05-references[0]",
    ]
    for name, (spec, faults) in read.items():
        assert (spec is None) == bool(faults), name
        assert all(fault.field[0] == "spec" and fault.message for fault in faults)


@cases(*rows_of(__file__, "a_mistake_is_told_at_its_field"))
def test_a_mistake_is_told_at_its_field(
    example: str, fields: list[list[str | int]], fixtures: Path
) -> None:
    _, faults = read_published(_examples(fixtures, "docs-examples")[example])
    assert [list(fault.field) for fault in faults] == fields


def _related(related: dict[str, Any]) -> bool:
    entry = {"identifier": "", "object": {"template": {"template": "x"}}, **related}
    spec = {"resource": {"apiGroup": "a", "kind": "B"}, "related": [entry]}
    return read_published({**_API, "spec": spec})[0] is not None


def test_the_rules_of_upstreams_crd(fixtures: Path) -> None:
    path = fixtures / "api-syncagent/conformance/validation-related.yaml"
    table = cyaml.safe_load(path.read_text(encoding="utf-8"))
    assert len(table["cases"]) >= 17
    for case in table["cases"]:
        assert _related(case["related"]) is case["valid"], case["name"]


@cases(*rows_of(__file__, "the_rules_about_cleanup"))
def test_the_rules_about_cleanup(more: dict[str, Any], is_valid: bool) -> None:
    """api-syncagent, pull request 181: read, and without effect here (SR2726)."""
    related = {"origin": "service", "version": "v1", "resource": "things", **more}
    assert _related(related) is is_valid


@each(*rows_of(__file__, "exactly_one_which_upstream_only_documents"))
def test_exactly_one_which_upstream_only_documents(object_: dict[str, Any]) -> None:
    assert not _related({"origin": "kcp", "kind": "Secret", "object": object_})


def test_a_null_is_a_field_that_is_not_set() -> None:
    spec: dict[str, Any] = {
        "resource": {"apiGroup": "a", "kind": "B", "version": None},
        "filter": None,
        "projection": {"shortNames": None, "categories": []},
    }
    read, faults = read_published({**_API, "spec": spec})
    assert faults == ()
    assert read is not None
    assert (read.projection.short_names, read.projection.categories) == (None, ())


def test_another_version_of_the_api_is_refused() -> None:
    spec = {"resource": {"apiGroup": "a", "kind": "B"}}
    read, (fault,) = read_published({"apiVersion": "syncagent.kcp.io/v2", "spec": spec})
    assert read is None
    assert fault.field == ("apiVersion",)
