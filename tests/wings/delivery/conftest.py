"""The templates as they are shipped: in the checkout, or inside the installed package."""

from pathlib import Path

import pytest

import spokerender

PACKAGE = Path(spokerender.__file__).parent


@pytest.fixture(scope="session")
def texts() -> dict[str, str]:
    folder = next(
        place
        for place in (PACKAGE / "templates", PACKAGE.parents[1] / "templates")
        if place.is_dir()
    )
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in folder.rglob("*.j2")
    }
