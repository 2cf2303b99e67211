"""The entries of `crds` in a fleet file: paths, and releases that the package carries."""

import pytest

from spokerender.findings.errors import InputError
from spokerender.wings.combined import build_schema, read_fleet
from tests.support import cases
from tests.support.project import FLEET


def read(entries: str) -> tuple[tuple[str, ...], list[str]]:
    """The paths and the releases of a fleet file with these entries."""
    spec = read_fleet(("fleet.yaml", f"{FLEET}  crds: [{entries}]\n".encode())).model.spec
    return spec.crd_paths, list(map(str, spec.crd_releases))


@cases(
    ("crds/", ("crds/",), []),
    ("kuadrant@1.5", (), ["kuadrant@v1.5.2"]),
    (
        "crds/, gateway-api@v1.4.1/standard, more/a.yaml",
        ("crds/", "more/a.yaml"),
        ["gateway-api@v1.4.1/standard"],
    ),
    ("./kuadrant@1.5", ("./kuadrant@1.5",), []),
    ("crds/kuadrant@1.5", ("crds/kuadrant@1.5",), []),
    ("a.b@c", ("a.b@c",), []),
)
def test_a_release_is_no_path(entries: str, paths: tuple[str, ...], releases: list[str]) -> None:
    assert read(entries) == (paths, releases)


@cases(
    ("kuadrnt@1.5", 'spokerender carries no CRDs of "kuadrnt"', 'did you mean "kuadrant"?'),
    ("kuadrant@7", 'spokerender carries no release "7" of Kuadrant', "the newest is v1.5.2"),
    ("kuadrant@", 'spokerender carries no release "" of Kuadrant', "the newest is v1.5.2"),
    ("gateway-api@1.4", "Gateway API v1.4.1 has several channels",
     "write gateway-api@v1.4.1/standard or gateway-api@v1.4.1/experimental"),
    ("gateway-api@1.4.1/stable", 'Gateway API v1.4.1 has no channel "stable"',
     "write gateway-api@v1.4.1/standard or gateway-api@v1.4.1/experimental"),
    ("kuadrant@1.5.0/standard", 'Kuadrant v1.5.0 has no channel "standard"', "write "),
)  # fmt: skip
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
