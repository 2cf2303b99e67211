"""What is larger than anybody writes is refused by its size: nobody reads it."""

from tests.cli.project import FLEET, PROJECT, Shell
from tests.support import each, end_to_end as e2e

TERABYTE = 10**12
SPEC = "  crds: [crds]\n  templates: own\n  delivery: {flux: {}}\n"


@each("build", "check", "status")
@each("fleet.yaml", "placement.yaml", "hub/a.yaml", "crds/a.yaml", "own/a.j2")
def test_a_file_of_a_terabyte(path: str, command: str, empty: Shell) -> None:
    e2e.write(empty.folder, {**PROJECT, "fleet.yaml": FLEET + SPEC})
    e2e.write(empty.folder, {"crds/b.yaml": "", "own/b.j2": "", path: ""})
    with (empty.folder / path).open("wb") as file:
        file.truncate(TERABYTE)

    done = empty.run(command)

    if path.startswith("crds") and command == "build":  # which has nothing to do with them
        assert done.status == 0
    else:
        assert done.status == 2
        assert "SR1204" in done.err
        assert "1,000,000,00" in done.err
