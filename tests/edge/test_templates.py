"""Templates come from the package, from the checkout, and from the user, who has the last word."""

from pathlib import Path

import pytest

from spokerender.edge import carried
from spokerender.edge.files import OnDisk
from spokerender.edge.templates import carried_templates, read_templates
from spokerender.findings.errors import InputError
from tests.edge.files.trees import LINK, write
from tests.support import cases


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package folder, in a checkout."""
    monkeypatch.setattr(carried, "_PACKAGE", tmp_path / "checkout" / "render" / "spokerender")
    return tmp_path / "checkout" / "render" / "spokerender"


def test_in_a_checkout(package: Path) -> None:
    write(package.parents[1], {"templates/flux/a.yaml.j2": b"a", "templates/README.md": b""})

    assert carried_templates() == {"flux/a.yaml.j2": "a"}


def test_in_a_wheel(package: Path) -> None:
    write(package, {"templates/flux/a.yaml.j2": b"wheel"})
    write(package.parents[1], {"templates/flux/a.yaml.j2": b"checkout"})

    assert carried_templates() == {"flux/a.yaml.j2": "wheel"}


def test_the_names_of_ones_own(tmp_path: Path) -> None:
    write(tmp_path / "own", {"flux/a.yaml.j2": "größer".encode(), "own.j2": b"own"})

    assert read_templates(OnDisk(tmp_path), "own") == {"flux/a.yaml.j2": "größer", "own.j2": "own"}


def test_everything_that_is_wrong_with_ones_own_is_told(tmp_path: Path) -> None:
    own = {"latin.j2": b"one\ntwo \xe9\n", "nowhere.j2": LINK + b"gone", "good.j2": b"good"}
    write(tmp_path / "own", own)

    with pytest.raises(InputError) as raised:
        read_templates(OnDisk(tmp_path), "own")

    nowhere, latin = raised.value.results
    assert (latin.message, str(latin.origin)) == (
        f"{tmp_path}/own/latin.j2: not UTF-8",
        f"{tmp_path}/own/latin.j2:2",
    )
    assert nowhere.message == "own/nowhere.j2: No such file or directory"


@cases(("empty", "SR1202"), ("missing", "SR1201"), ("file", "SR1203"))
def test_a_folder_without_templates(name: str, code: str, tmp_path: Path) -> None:
    write(tmp_path, {"empty/README.md": b"", "file": b""})

    with pytest.raises(InputError) as raised:
        read_templates(OnDisk(tmp_path), name)

    assert [result.code for result in raised.value.results] == [code]
