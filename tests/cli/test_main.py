"""`python -m spokerender` runs our code, and no file of the project that is named as a library."""

import subprocess
import sys
from pathlib import Path

LIBRARIES = ("click", "msgspec", "pydantic", "render", "yaml")


def test_no_file_of_the_project_takes_a_librarys_place(tmp_path: Path) -> None:
    for name in LIBRARIES:
        (tmp_path / f"{name}.py").write_text(f'raise SystemExit("the {name} of the project ran")\n')
    command = [sys.executable, "-m", "spokerender", "init", "fleet", "--spokes", "eu"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "fleet" / "fleet.yaml").is_file()
