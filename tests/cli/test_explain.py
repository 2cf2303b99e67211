"""`spokerender explain`: where an object goes and as what, and what a spoke needs."""

import json

from tests.cli.project import OVERRIDES, PLACEMENT, Shell
from tests.support import cases, named_rows_of, text_of

OBJECT = text_of(__file__, "explain_object.txt")
SPOKE = text_of(__file__, "explain_spoke.txt")
FLEET = text_of(__file__, "explain_fleet.txt")


@cases(
    (["authpolicy/infra/closed"], OBJECT),
    ([".", "AuthPolicy.kuadrant.io/closed"], OBJECT),
    (["--spoke", "eu"], SPOKE),
    ([".", "--spoke", "eu"], SPOKE),
    ([], FLEET),
    ids=["object", "object-in-folder", "spoke", "spoke-in-folder", "fleet"],
)
def test_it_is_told(arguments: list[str], says: str, shell: Shell) -> None:
    shell.write({"placement.yaml": PLACEMENT + OVERRIDES})
    done = shell.run("explain", *arguments)
    assert (done.status, done.out, done.err) == (0, says, "")
    assert not (shell.folder / "clusters").exists()


def test_as_json(shell: Shell) -> None:
    done = shell.pass_silently("explain", "--spoke", "eu", "--format", "json")
    assert json.loads(done.out)["spoke"] == "eu"


@cases(*named_rows_of(__file__, "nobody_is_of_that_name"))
def test_nobody_is_of_that_name(arguments: list[str], says: str, shell: Shell) -> None:
    assert says in shell.refuse("explain", *arguments).err
