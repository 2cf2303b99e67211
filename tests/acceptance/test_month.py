"""A month with a fleet in one Git repository: what is printed after each change.

Each step changes the sources as people do, builds, checks against the last commit, and commits;
what it expects was written before it ran.
"""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.project import Done, Shell
from tests.support.git import needs_git, run_git

pytestmark = needs_git


class Month:
    """A project in a repository; each step ends with a commit."""

    def __init__(self, shell: Shell) -> None:
        self.shell, self.folder = shell, Path(shell.folder)
        shell.succeed("init", ".", "--spokes", "eu,us")
        run_git(self.folder, "init", "--quiet", "--initial-branch=main")
        self.commit()

    def run(self, *arguments: str) -> Done:
        """Run a command."""
        return self.shell.run(*arguments)

    def git(self, *arguments: str) -> str:
        """Run Git in the repository."""
        return run_git(self.folder, *arguments)

    def edit(self, name: str, old: str, new: str) -> None:
        """Replace a text that is in a file."""
        text = (self.folder / name).read_text()
        assert old in text
        (self.folder / name).write_text(text.replace(old, new))

    def codes(self, done: Done) -> list[str]:
        """Return the severity and code of each finding, in the order they are printed."""
        return re.findall(r"(?:error|warning) SR\d+", done.err)

    def refused(self, *codes: str) -> str:
        """Build: it is refused for these reasons alone, and nothing on disk changes."""
        before = self.tree()
        done = self.run("build")
        assert (done.status, self.codes(done)) == (2, list(codes)), done.err
        assert self.tree() == before
        return done.err

    def built(self, *options: str, warnings: tuple[str, ...] = ()) -> str:
        """Build: it has these warnings and nothing worse; check agrees. Return what is printed."""
        done = self.run("build", *options)
        assert done.status == 0, done.err
        checked = self.run("check", "--against", "HEAD")
        assert (checked.status, self.codes(checked)) == (0, list(warnings)), checked.err
        return done.out

    def commit(self) -> None:
        """Commit all that there is."""
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message=step")

    def tree(self) -> dict[str, bytes]:
        """Return the bytes of every rendered file."""
        files = sorted((self.folder / "clusters").rglob("*"))
        return {str(path): path.read_bytes() for path in files if path.is_file()}

    def spokes(self) -> list[str]:
        """Return the names of the rendered folders."""
        names = [path.name for path in (self.folder / "clusters").iterdir()]
        return sorted(name for name in names if not name.startswith("_"))


@pytest.fixture
def month(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Month:
    monkeypatch.chdir(tmp_path)
    return Month(Shell(tmp_path, capsys))


def add_a_spoke(month: Month) -> None:
    assert month.run("spoke", "add", "ap-1", "--like", "eu").status == 0
    assert "created the folder with 4 files on ap-1" in month.built()
    assert month.spokes() == ["ap-1", "eu", "us"]


def rename_a_spoke(month: Month) -> None:
    assert month.run("spoke", "rename", "us", "us-east").status == 0
    error = month.refused("error SR1901")
    assert "spoke us would be removed" in error
    assert "in the new folder us-east" in error
    month.built("--allow-delete=us", "--reason=renamed")
    assert month.spokes() == ["ap-1", "eu", "us-east"]


def leave_the_acknowledgement(month: Month) -> None:
    """It is spent: a warning names its line, and it allows nothing any more."""
    month.edit("placement.yaml", "us-east", "us")
    assert "spoke us-east would be removed" in month.refused("error SR1901")
    month.git("checkout", "--quiet", ".")
    month.built(warnings=("warning SR1902",))
    text = (month.folder / "fleet.yaml").read_text()
    (month.folder / "fleet.yaml").write_text(text.partition("  deletions:")[0])
    assert month.built().startswith("clusters: up to date")


def rename_the_gateway(month: Month) -> None:
    for name in ("hub/gateway.yaml", "hub/shop.yaml"):
        month.edit(name, "name: public\n", "name: front\n")
    error = month.refused("error SR1401", "warning SR1404")
    assert "placement.yaml:" in error
    assert "front" in error
    month.edit("placement.yaml", "gateways/public", "gateways/front")
    month.built()


def move_the_gateway(month: Month) -> None:
    month.edit("placement.yaml", "      as: ", "      as:\n        namespace: edge\n      #")
    month.built()
    assert "namespace: edge" in "".join(data.decode() for data in month.tree().values())


def remove_the_policy(month: Month) -> None:
    text = (month.folder / "hub/shop.yaml").read_text()
    (month.folder / "hub/shop.yaml").write_text(text.partition("---\n")[0])
    error = month.refused("error SR1901")
    assert "AuthPolicy shop/shop: would go" in error
    assert re.search(r"spokes: \[ap-1, eu, us-east\]\n\s+lost: goes", error)
    month.built("--allow-delete=AuthPolicy/shop/shop", "--reason=public since today")


def bring_it_back(month: Month) -> None:
    """A revert brings the policy back, and takes the acknowledgement away."""
    month.git("revert", "--no-edit", "HEAD")
    assert "deletions" not in (month.folder / "fleet.yaml").read_text()
    assert month.built().startswith("clusters: up to date")
    month.edit("hub/shop.yaml", "app: shop", "app: shop # again")
    month.built()


def change_the_hostname_of_the_gateway_alone(month: Month) -> None:
    """The route is served nowhere: it is refused until somebody says that it is meant."""
    month.edit("hub/gateway.yaml", "*.example.com", "*.example.org")
    assert "shop" in month.run("build").err
    assert month.run("check", "--against", "HEAD").status == 1
    month.git("checkout", "--quiet", ".")
    month.edit("hub/gateway.yaml", "  listeners:\n", "  listeners: # one\n")
    month.built()


def split_the_placement(month: Month) -> None:
    text = (month.folder / "placement.yaml").read_text()
    head, rules = text.partition("  rules:\n")[0], text.partition("  rules:\n")[2]
    top = head.partition("spec:\n")[0]
    (month.folder / "placement.yaml").unlink()
    (month.folder / "placement").mkdir()
    (month.folder / "placement/spokes.yaml").write_text(head.replace("name: ", "name: spokes-", 1))
    other = top.replace("name: ", "name: rules-", 1)
    (month.folder / "placement/rules.yaml").write_text(f"{other}spec:\n  rules:\n{rules}")
    month.edit("fleet.yaml", "  policiesToSync:", "  placement: [placement/]\n  policiesToSync:")
    assert month.built().startswith("clusters: up to date")


def merge_two_branches(month: Month) -> None:
    """Each adds a spoke; where Git can't join them, the conflict is reported as such."""
    month.git("checkout", "--quiet", "-b", "other")
    assert month.run("spoke", "add", "sa-1", "--like", "eu").status == 0
    month.built()
    month.commit()
    month.git("checkout", "--quiet", "main")
    assert month.run("spoke", "add", "af-1", "--like", "eu").status == 0
    month.built()
    month.commit()
    with pytest.raises(Exception, match="merge"):
        month.git("merge", "--quiet", "other")
    error = month.run("build")
    assert error.status == 2
    assert "Git's conflict markers are in it" in error.err
    placement = month.folder / "placement/spokes.yaml"
    placement.write_text(re.sub(r"(?m)^(<{7}|={7}|>{7}).*\n", "", placement.read_text()))
    assert month.run("build").status == 0
    assert month.spokes() == ["af-1", "ap-1", "eu", "sa-1", "us-east"]
    assert month.run("check", "--against", "HEAD").status == 0


def remove_a_spoke(month: Month) -> None:
    assert month.run("spoke", "remove", "af-1").status == 0
    assert "spoke af-1 would be removed" in month.refused("error SR1901")
    month.built("--allow-delete=af-1", "--reason=closed")


STEPS: tuple[Callable[[Month], None], ...] = (
    add_a_spoke,
    rename_a_spoke,
    leave_the_acknowledgement,
    rename_the_gateway,
    move_the_gateway,
    remove_the_policy,
    bring_it_back,
    change_the_hostname_of_the_gateway_alone,
    split_the_placement,
    merge_two_branches,
    remove_a_spoke,
)


def test_a_month(month: Month) -> None:
    for step in STEPS:
        step(month)
        month.commit()
