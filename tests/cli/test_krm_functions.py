"""A metapolicy that is a KRM function: real programs, and all that can be wrong with one."""

import re
from pathlib import Path

from tests.cli.project import Done, Shell
from tests.edge.processes.programs import LONG, is_alive, told
from tests.support import cases, cyaml, named_rows_of, rows_of
from tests.support.functions import program, quotas

FUNCTION = "exec: {path: ./function}\n"
MADE = "shop/ratelimitpolicy.kuadrant.io_fair-limits.yaml"
FIVE = "answer(limits(5))\n"
CHILD = f"""\
if os.fork() == 0:
    os.setsid()
    open("pids", "w").write(f"{{os.getpid()}}\\n")
    time.sleep({LONG})
while not os.path.exists("pids") or not open("pids").read():
    time.sleep(0.01)
"""


def built(shell: Shell, text: str = FIVE, way: str = FUNCTION, **more: str) -> Done:
    """What a build says of a project with this function."""
    program(quotas(Path(shell.folder), way, **more), text)
    return shell.run("build", "--allow-project-code")


def made(shell: Shell, spoke: str = "eu") -> dict[str, object]:
    """What was made for a spoke."""
    text = (Path(shell.folder) / "clusters" / spoke / MADE).read_text(encoding="utf-8")
    found: dict[str, object] = cyaml.safe_load(text)
    return found


def refused(done: Done, shell: Shell) -> str:
    """The only error of a build that was refused and has written nothing, without its head."""
    assert done.status == 2, done
    assert not (Path(shell.folder) / "clusters").exists()
    (error,) = [line for line in done.err.splitlines() if " error SR" in line]
    head, _, message = error.partition(" error ")
    assert head.partition(":")[0] in ("hub/hub.yaml", "quota.yaml")
    return message


def test_it_runs_only_where_the_command_line_says_so(empty: Shell) -> None:
    folder = quotas(Path(empty.folder), FUNCTION)
    program(folder, "open('ran', 'w')")
    for command in (["build"], ["check"], ["diff"], ["explain"], ["metapolicies"], ["query", "1"]):
        done = empty.run(*command)
        assert refused(done, empty) == (
            "SR2814 spec.exec.path: the program ./function belongs to the project and is not "
            "allowed to run"
        )
        assert "pass --allow-project-code" in done.err
    assert not (folder / "ran").exists()


def test_it_is_given_the_metapolicy_and_what_the_definition_reads(empty: Shell) -> None:
    text = "json.dump(given, open('given.json', 'w'))\nanswer()"
    reads = "[{group: gateway.networking.k8s.io, kind: HTTPRoute}]"
    assert built(empty, text, reads=reads).status == 0
    given = cyaml.safe_load((Path(empty.folder) / "given.json").read_text(encoding="utf-8"))
    assert (given["apiVersion"], given["kind"]) == ("config.kubernetes.io/v1", "ResourceList")
    assert given["functionConfig"]["metadata"] == {"name": "fair", "namespace": "shop"}
    (route,) = given["items"]
    assert (route["kind"], route["metadata"]["name"]) == ("HTTPRoute", "cart")
    path, index = "config.kubernetes.io/path", "config.kubernetes.io/index"
    assert route["metadata"]["annotations"] == {
        path: "shop/httproute.gateway.networking.k8s.io_cart.yaml",
        f"internal.{path}": "shop/httproute.gateway.networking.k8s.io_cart.yaml",
        index: "0",
        f"internal.{index}": "0",
        "config.k8s.io/id": "0",
        "internal.config.kubernetes.io/id": "0",
    }


def test_it_is_given_the_spoke_only_if_the_definition_reads_it(empty: Shell) -> None:
    text = "open('ran', 'a').write('x')\nanswer(limits(len(items)))"
    assert built(empty, text).status == 0
    assert made(empty)["spec"]["limits"]["fair"]["rates"][0]["limit"] == 0  # type: ignore[index]
    assert (Path(empty.folder) / "ran").read_text() == "x"  # the spokes are alike to it


def test_what_it_makes_of_a_spoke_is_the_spokes_own(empty: Shell) -> None:
    text = """
        (spoke,) = items
        assert spoke["metadata"]["labels"]["region"] == spoke["metadata"]["name"]
        answer(limits(len(spoke["spec"]["values"]["domain"]), spoke["metadata"]["name"]))
    """
    reads = "[{group: spokerender.io, kind: Spoke}]"
    assert built(empty, text, reads=reads).status == 0
    for spoke in ("eu", "us"):
        path = Path(empty.folder, "clusters", spoke, MADE.replace("fair-limits", spoke))
        assert "limit: 10" in path.read_text(encoding="utf-8")


def test_what_it_changes_and_takes_out_is_changed_and_taken_out(empty: Shell) -> None:
    text = """
        kept = [item for item in items if item["metadata"]["name"] == "cart"]
        kept[0]["metadata"]["annotations"]["mine"] = "1"
        given["items"] = kept
        answer()
    """
    writes = "[{group: gateway.networking.k8s.io, kind: HTTPRoute}]"
    folder = quotas(Path(empty.folder), FUNCTION, writes=writes)
    program(folder, text)
    hub = folder / "hub" / "hub.yaml"
    route = hub.read_text(encoding="utf-8").split("---\n")[-2]
    hub.write_text(hub.read_text(encoding="utf-8") + f"---\n{route.replace('cart', 'more')}")
    empty.succeed("build", "--allow-project-code")
    found = sorted(path.name for path in (folder / "clusters" / "eu" / "shop").iterdir())
    assert found == ["httproute.gateway.networking.k8s.io_cart.yaml"]
    written = cyaml.safe_load((folder / "clusters" / "eu" / "shop" / found[0]).read_text())
    assert written["metadata"].get("annotations") == {"mine": "1"}


@cases(*rows_of(__file__, "a_program_that_is_none_is_told"))
def test_a_program_that_is_none_is_told(way: str, message: str, empty: Shell) -> None:
    found = refused(built(empty, way=way), empty)
    assert found == f"SR2815 QuotaPolicy shop/fair: {message} (quota, quota.yaml:8)"


def test_an_identifier_of_thousands_of_digits_is_nobodys(empty: Shell) -> None:
    ids = "{'internal.config.kubernetes.io/id': '9' * 5000}"
    made_by = f"item = limits(5); item['metadata']['annotations'] = {ids}; answer(item)"
    assert built(empty, made_by).status == 0
    assert made(empty)["metadata"] == {"name": "fair-limits", "namespace": "shop"}


@cases(*named_rows_of(__file__, "an_answer_that_is_none_refuses_the_build"))
def test_an_answer_that_is_none_refuses_the_build(text: str, message: str, empty: Shell) -> None:
    assert message in refused(built(empty, text), empty)


@cases(*rows_of(__file__, "what_it_only_reads_it_does_not_write"))
def test_what_it_only_reads_it_does_not_write(text: str, message: str, empty: Shell) -> None:
    reads = "[{group: gateway.networking.k8s.io, kind: HTTPRoute}]"
    assert message in built(empty, text, reads=reads).err
    assert not (Path(empty.folder) / "clusters").exists()


@cases(*named_rows_of(__file__, "what_takes_too_much_is_stopped"))
def test_what_takes_too_much_is_stopped(limit: str, text: str, message: str, empty: Shell) -> None:
    done = built(empty, CHILD + text, f"exec: {{path: ./function, {limit}}}\n")
    assert f"./function: {message}" in refused(done, empty)
    (process,) = told(Path(empty.folder) / "pids", 1)
    assert not is_alive(process)


def test_children_that_it_leaves_are_ended(empty: Shell) -> None:
    assert built(empty, CHILD + FIVE).status == 0
    (process,) = told(Path(empty.folder) / "pids", 1)
    assert not is_alive(process)


def test_a_function_that_is_not_pure_is_found_where_that_is_asked(empty: Shell) -> None:
    assert built(empty, "answer(limits(time.time_ns() % 10**9))").status == 0
    done = empty.run("check", "--allow-project-code", "--check-pure")
    assert done.status == 2
    assert "SR2817 QuotaPolicy shop/fair: ./function: two runs for one input differ" in done.err
    program(Path(empty.folder), "answer(limits(5))")
    empty.succeed("build", "--allow-project-code", "--check-pure")


def test_its_environment_and_arguments_are_what_the_definition_says(empty: Shell) -> None:
    text = "answer(limits(int(os.environ['LIMIT']) + int(sys.argv[1])))"
    assert (
        built(empty, text, "exec: {path: ./function, args: ['2'], env: {LIMIT: '3'}}\n").status == 0
    )
    assert made(empty)["spec"]["limits"]["fair"]["rates"] == [{"limit": 5, "window": "1m"}]  # type: ignore[index]


def test_it_is_run_once_for_an_input(empty: Shell) -> None:
    text = "open('ran', 'a').write('x')\n" + FIVE
    assert built(empty, text).status == 0
    assert (Path(empty.folder) / "ran").read_text(encoding="utf-8") == "x"
    empty.succeed("check", "--allow-project-code")
    assert (Path(empty.folder) / "ran").read_text(encoding="utf-8") == "xx"


def test_what_it_says_besides_is_told_to_who_asks(empty: Shell) -> None:
    assert built(empty, "print('slow today', file=sys.stderr)\n" + FIVE).err == ""
    told = empty.run("build", "-v", "--allow-project-code").err
    assert "info SR2816 QuotaPolicy shop/fair: it logs: slow today" in told


def test_what_it_cost_is_told_to_who_asks(empty: Shell) -> None:
    assert "function " not in built(empty, FIVE).err
    told = empty.run("build", "-v", "--allow-project-code").err
    assert re.search(r"function \S+: 1 run in \d+\.\d\d s, 0 remembered", told), told
