"""The entries of `crds` in a fleet file: paths, and releases that the package carries."""

import pytest

from spokerender.findings.errors import InputError
from spokerender.wings.combined import build_schema, read_fleet
from tests.support import cases, rows_of
from tests.support.project import FLEET


def read(entries: str) -> tuple[tuple[str, ...], list[str]]:
    """The paths and the releases of a fleet file with these entries."""
    spec = read_fleet(("fleet.yaml", f"{FLEET}  crds: [{entries}]\n".encode())).model.spec
    return spec.crd_paths, list(map(str, spec.crd_releases))


@cases(*rows_of(__file__, "a_release_is_no_path"))
def test_a_release_is_no_path(entries: str, paths: list[str], releases: list[str]) -> None:
    assert read(entries) == (tuple(paths), releases)


@cases(*rows_of(__file__, "what_is_not_carried_is_refused_with_what_is"))
def test_what_is_not_carried_is_refused_with_what_is(entry: str, message: str, cure: str) -> None:
    with pytest.raises(InputError) as error:
        read(f"crds/, {entry}")
    (result,) = error.value.results
    assert (result.message, result.field) == (message, "spec.crds[1]")
    assert result.cure.startswith(cure)
    assert result.origin is not None
    assert result.origin.line == 5


def test_editors_are_offered_the_newest_releases() -> None:
    text = str(build_schema())
    assert "kuadrant@v1.5.2" in text
    assert "'crds/'" in text
