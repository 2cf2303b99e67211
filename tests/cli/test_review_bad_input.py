"""`spokerender review` of what can't be compared, or not written: message and what is left."""

import html
import re
import shutil
from pathlib import Path

from spokerender.findings.codes.shipping import UNKNOWN_BASE
from spokerender.report.page import PAGE_START
from tests.cli.project import FLEET, PLACEMENT, Done, Shell
from tests.cli.test_review import CLOSED, OPEN, begin, commit, hub
from tests.support import cases, each, rows_of
from tests.support.git import needs_git, run_git

pytestmark = needs_git

BROKEN = PLACEMENT + "  nonsense: 1\n"
FORMS = ["text", "markdown", "html", "json", "github", "sarif", "junit", "codequality"]


def refused(done: Done, *parts: str) -> None:
    """It is refused: nothing on stdout, and one message with all of this."""
    assert (done.status, done.out) == (2, "")
    assert all(part in done.err for part in parts), done.err


@cases(*rows_of(__file__, "what_is_no_revision"))
def test_what_is_no_revision(revision: str, parts: list[str], shell: Shell) -> None:
    begin(shell)
    (shell.folder / "elsewhere").mkdir()
    refused(shell.run("review", "--against", revision), *parts)
    if revision not in ("elsewhere", "..."):  # of `review` alone
        refused(shell.run("diff", "--against", revision), *parts)


@each("text", "markdown", "html")
def test_a_base_that_does_not_parse_is_named_with_its_line(form: str, shell: Shell) -> None:
    begin(shell)
    shell.write({"placement.yaml": BROKEN})
    run_git(shell.folder, "commit", "--quiet", "--all", "--message=broken")
    shell.write({"placement.yaml": PLACEMENT, "hub/guard.yaml": hub(OPEN)})
    done = shell.run("review", "--format", form)
    text = " ".join(html.unescape(re.sub(r"<[^>]*>|`", "", done.out)).split())
    assert done.status == 1
    line = BROKEN.count("\n")
    assert "HEAD can't be rendered, so its committed tree is compared" in text
    assert f"HEAD:placement.yaml:{line}: unknown key" in text
    assert "SR2501" in text


def test_a_base_without_a_render_and_without_a_tree_is_refused(shell: Shell) -> None:
    """To compare with nothing would look like a project that is new."""
    begin(shell)
    run_git(shell.folder, "rm", "-r", "--quiet", "--cached", "clusters")
    shell.write({"placement.yaml": BROKEN})
    run_git(shell.folder, "commit", "--quiet", "--all", "--message=broken")
    shell.write({"placement.yaml": PLACEMENT, "hub/guard.yaml": hub(OPEN)})
    refused(shell.run("review"), "has no committed tree to compare with", "HEAD:placement.yaml:")


def test_a_base_without_the_project_makes_everything_new(shell: Shell) -> None:
    run_git(shell.folder, "init", "--quiet", "--initial-branch=main")
    run_git(shell.folder, "commit", "--quiet", "--allow-empty", "--message=empty")
    shell.write({"hub/guard.yaml": hub(CLOSED)})
    done = shell.run("review")
    assert done.out.splitlines()[1] == "HEAD has no project here, so everything is new"
    assert "new 2 spokes with" in done.out
    more = shell.run("review", "-v").err
    assert UNKNOWN_BASE.code in more, "what is known about the base is reported"


@each(False, True)
def test_a_base_with_another_output_folder(is_broken: bool, shell: Shell) -> None:
    begin(shell)
    shell.write({"fleet.yaml": FLEET + "  output: old\n"})
    commit(shell, "old")
    run_git(shell.folder, "rm", "-r", "--quiet", "clusters")
    shell.write({"placement.yaml": BROKEN if is_broken else PLACEMENT})
    run_git(shell.folder, "commit", "--quiet", "--all", "--message=before")
    shell.write({"fleet.yaml": FLEET + "  output: new\n", "placement.yaml": PLACEMENT})
    done = shell.run("review")
    assert (done.status, done.out.splitlines()[-1]) == (0, "nothing changes")
    shell.write({"hub/guard.yaml": hub(OPEN)})
    assert "error SR2501" in shell.run("review").out


def test_projects_without_a_common_spoke(shell: Shell, tmp_path: Path) -> None:
    begin(shell)
    other = tmp_path / "other"
    shutil.copytree(shell.folder, other)
    names = PLACEMENT.replace("name: eu", "name: asia").replace("name: us", "name: africa")
    (other / "placement.yaml").write_text(names)
    done = shell.run("review", "--against", str(other))
    assert done.status == 1
    text = " ".join(done.out.split())
    assert "spoke africa would be removed" in text
    assert "looks like a rename" in text
    assert "lost 2 spokes with 4 objects each: africa, asia" in text


def test_a_clone_without_the_merge_base(shell: Shell, tmp_path: Path) -> None:
    begin(shell)
    for branch in ("mine", "theirs"):
        run_git(shell.folder, "checkout", "--quiet", "-b", branch, "main")
        run_git(shell.folder, "commit", "--quiet", "--allow-empty", f"--message={branch}")
    address = shell.folder.as_uri()
    clone = tmp_path / "clone"
    run_git(tmp_path, "clone", "--quiet", "--depth=1", "--no-single-branch", address, str(clone))
    refused(
        shell.run("review", str(clone), "--against", "origin/mine..."),
        "no merge base of 'origin/mine' and HEAD",
        "git fetch --unshallow",
    )
    refused(shell.run("review", str(clone), "--against", "HEAD~1"), "fetch it")
    shell.succeed("review", str(clone), "--against", "origin/mine")


def test_a_bare_repository(shell: Shell, tmp_path: Path) -> None:
    begin(shell)
    bare, tree = tmp_path / "bare.git", tmp_path / "tree"
    run_git(tmp_path, "clone", "--quiet", "--bare", str(shell.folder), str(bare))
    refused(shell.run("review", str(bare)), "no project")
    refused(shell.run("review", "--against", str(bare)), f"the folder {bare} is no project")
    run_git(bare, "worktree", "add", "--quiet", str(tree), "main")
    assert shell.run("review", str(tree)).out.endswith("\nnothing changes\n")


def test_changes_by_hand_in_the_output_are_an_error_and_stay(shell: Shell) -> None:
    begin(shell)
    file = shell.folder / "clusters/eu/kustomization.yaml"
    file.write_text(file.read_text() + "# by hand\n")
    done = shell.run("review")
    assert done.status == 1
    assert "error SR1209 objects: edited by hand" in done.out
    assert "from clusters/eu/kustomization.yaml:1\n" in done.out
    assert file.read_text().endswith("# by hand\n")


def test_another_output_folder_is_said(shell: Shell) -> None:
    begin(shell)
    Path("fleet.yaml").write_text(f"{FLEET}  output: trees\n")
    note = "the output was in clusters, and is in trees: what reads clusters gets no change"
    assert note in " ".join(shell.run("review").out.split())
    assert note in " ".join(shell.run("review", "--against", "HEAD...").out.split())


@cases(*rows_of(__file__, "a_page_that_can_not_be_written_there"))
def test_a_page_that_can_not_be_written_there(page: str, part: str, shell: Shell) -> None:
    begin(shell)
    Path("link.html").symlink_to("hub/guard.yaml")
    Path("outside").symlink_to("..")
    before = run_git(shell.folder, "status", "--porcelain")
    refused(shell.run("review", "--page", page), part)
    assert run_git(shell.folder, "status", "--porcelain") == before
    assert Path("hub/guard.yaml").read_text() == hub(CLOSED)


def test_a_page_is_written_to_a_new_folder_over_an_empty_file_and_over_itself(shell: Shell) -> None:
    begin(shell)
    Path("empty.html").touch()
    for page in ("new/page.html", "empty.html", "empty.html"):
        shell.succeed("review", "--page", page)
        assert Path(page).read_text().startswith(PAGE_START)


@each(*FORMS)
def test_text_of_others_is_text(form: str, shell: Shell) -> None:
    begin(shell)
    name = "a`<img/src=x onerror=y>@all|#1".replace(" ", "")
    run_git(shell.folder, "branch", name)
    evil = r'"\u001b[31m</script><svg onload=alert(1)>\n::error::x\n## head @everyone ```": '
    shell.write({"hub/guard.yaml": hub(OPEN.replace("all:", evil))})
    out = shell.run("review", "--against", name, "--format", form).out
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f]", out)
    assert "\n::error::" not in out
    assert "\n## head" not in out
    if form in ("html", "junit"):
        assert "<svg onload" not in out
        assert "<img" not in out


def test_a_committed_kustomization_that_does_more_than_list_is_told_as_by_check(
    shell: Shell,
) -> None:
    begin(shell)
    listing = shell.folder / "clusters/eu/kustomization.yaml"
    listing.write_text(f"{listing.read_text()}namePrefix: own-\n")
    shell.write({"placement.yaml": BROKEN})
    run_git(shell.folder, "commit", "--quiet", "--all", "--message=broken")
    shell.write({"placement.yaml": PLACEMENT, "hub/guard.yaml": hub(OPEN)})
    for command in (("review",), ("check", "--against", "HEAD")):
        done = shell.run(*command)
        assert "take it out, or build anew" in " ".join(f"{done.out} {done.err}".split())
