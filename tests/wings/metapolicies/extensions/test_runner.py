"""Extensions as processes: what good ones answer, and what becomes of bad ones."""

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

pytest.importorskip("grpc", reason="grpcio is not installed")

from spokerender.edge.processes import ProgramCommand
from spokerender.findings.codes.metapolicies import EXTENSION, FAILED
from spokerender.findings.results import Fault, Severity
from spokerender.wings.metapolicies.functions import Computed, FunctionOutput, RefusedError
from spokerender.wings.metapolicies.runners.extensions.process import ExtensionProgram
from spokerender.wings.metapolicies.runners.extensions.runner import Extensions
from tests.edge.processes.programs import all_end, told
from tests.support import cases, rows_of
from tests.support.extensions import GOOD, extension, question, rogue

MADE = {
    "apiVersion": "kuadrant.io/v1",
    "kind": "RateLimitPolicy",
    "metadata": {"name": "fair-limits"},
    "spec": {"targetRef": None, "limits": {"fair": {"rates": [{"limit": 3, "window": "1m"}]}}},
}
WITH_SDK: str = rows_of(__file__, "with_sdk")


@pytest.fixture(autouse=True)
def sockets(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where sockets are; and none is left."""
    with tempfile.TemporaryDirectory(prefix="sr-", dir="/tmp") as folder:
        monkeypatch.setenv("XDG_RUNTIME_DIR", folder)
        yield Path(folder)
        assert list(Path(folder).iterdir()) == []


class Asked:
    """Extensions that are asked, and what they write."""

    def __init__(self, program: ExtensionProgram) -> None:
        """Nothing is started yet."""
        self.texts: list[str] = []
        self.extensions = Extensions([program], lambda _, line: self.texts.append(line))

    def __call__(self, *names: str, **more: Any) -> list[FunctionOutput]:
        """The replies for these spokes."""
        return [reply for reply in self.ask(*names, **more) if isinstance(reply, FunctionOutput)]

    def faults(self, *names: str) -> list[Fault]:
        """Why there are no replies for these spokes."""
        return [reply for reply in self.ask(*names) if isinstance(reply, Fault)]

    def ask(self, *names: str, **more: Any) -> list[FunctionOutput | Fault]:
        """The replies for these spokes, and why there are none."""
        try:
            asked = [question(name, **more) for name in names or ("eu",)]
            return [self.extensions.run(each) for each in asked]
        finally:
            self.extensions.close()


def task(body: str) -> str:
    """An extension by the SDK whose function is this."""
    return WITH_SDK.format("\n".join(f"    {line}" for line in dedent(body).splitlines()))


def problem(program: ExtensionProgram) -> str:
    """What is wrong with an extension: told for both questions, and it is asked once."""
    one, other = Asked(program).faults("eu", "us")
    assert (one.finding, other.finding) == (EXTENSION, EXTENSION)
    assert one.message == other.message
    assert one.message.startswith("the extension fair fails: it ")
    return one.message.removeprefix("the extension fair fails: it ")


def test_a_good_one_answers_and_is_started_once(tmp_path: Path) -> None:
    asked = Asked(extension(tmp_path, f"print('it begins')\n{GOOD}"))
    assert [reply.items for reply in asked("eu", "us", "eu")] == [[MADE], [MADE], [MADE]]
    cost = asked.extensions.costs["fair"]
    assert (cost.runs, cost.remembered) == (2, 1)
    assert cost.seconds > 0
    assert asked.texts == ["it begins"]


def test_items_come_and_go_as_they_are(tmp_path: Path) -> None:
    kept = {"apiVersion": "v1", "kind": "ConfigMap", "data": {"é": str(2**70)}, "n": 2**60}
    body = "task.items[1]['spec'] = {'n': task.items[1]['spec']['n'] + 1}; del task.items[2]"
    changed = {"apiVersion": "kuadrant.io/v1", "kind": "RateLimitPolicy", "spec": {"n": 2**53}}
    (reply,) = Asked(extension(tmp_path, task(body)))(items=(kept, changed, MADE))
    assert reply.items == [kept, {**changed, "spec": {"n": 2**53 + 1}}]


def test_it_asks_the_topology(tmp_path: Path) -> None:
    body = """\
    hosts = task.query("hosts")
    task.make({"hosts": hosts, "more": [task.query(f"more({host})") for host in hosts]})
    """
    asked: list[str] = []

    def query(source: str) -> Any:
        asked.append(source)
        return ["a", "b"] if source == "hosts" else source.upper()

    reply, *_ = Asked(extension(tmp_path, task(body)))("eu", query=query)
    assert reply.items == [{"hosts": ["a", "b"], "more": ["MORE(A)", "MORE(B)"]}]
    assert asked == ["hosts", "more(a)", "more(b)"]


def test_the_same_question_is_another_where_a_query_comes_to_something_else(tmp_path: Path) -> None:
    asked = Asked(extension(tmp_path, task("task.make({'host': task.query('host')})")))
    answers = ["a", "b", "a", "b"]
    questions = [question("eu", dict.fromkeys(["host"], value).__getitem__) for value in answers]
    try:
        replies = [asked.extensions.run(each) for each in questions]
    finally:
        asked.extensions.close()
    assert replies == [FunctionOutput([{"host": value}], []) for value in answers]
    cost = asked.extensions.costs["fair"]
    # The first one needs two rounds; the second is told the host before it asks.
    assert (cost.runs, cost.remembered) == (3, 2)


def test_a_query_that_fails_can_be_caught(tmp_path: Path) -> None:
    body = """\
    try:
        task.query("no such")
    except QueryError as error:
        task.tell(str(error), severity="warning", field="spec.x", cure="ask something else")
    """

    def query(_: str) -> Any:
        raise RefusedError((Fault(FAILED, "undeclared reference to 'no'", ""),))

    (reply,) = Asked(extension(tmp_path, task(body)))(query=query)
    (told,) = reply.findings
    assert told.message == Computed("no such: undeclared reference to 'no'")
    assert (told.severity, told.field) == (Severity.WARNING, Computed("spec.x"))


def test_what_its_function_raises_is_told_and_it_goes_on(tmp_path: Path) -> None:
    asked = Asked(extension(tmp_path, task("task.make({'x': 1 / (task.spoke['name'] != 'eu')})")))
    one, other = asked.ask("eu", "us")
    assert one == Fault(FAILED, "its function fails: ZeroDivisionError: division by zero")
    assert other == FunctionOutput([{"x": 1.0}], [])
    assert any("ZeroDivisionError" in line for line in asked.texts)


def test_what_it_logs_and_prints_is_shown(tmp_path: Path) -> None:
    body = """\
    logging.getLogger("x").warning("slow")
    print("on stdout", flush=True)
    print("\\033[31mERROR: red", file=sys.stderr, flush=True)
    """
    asked = Asked(extension(tmp_path, task(body)))
    asked()
    assert "WARNING: slow" in asked.texts
    assert "on stdout" in asked.texts


def test_one_that_dies_is_given_up(tmp_path: Path) -> None:
    text = "open('pids', 'a').write(f'{os.getpid()}\\n')\nos.abort()"
    assert problem(extension(tmp_path, task(text))) == "was ended by SIGABRT before it answered"
    assert all_end(told(tmp_path / "pids", 1))


BAD = [
    ("raise SystemExit(4)", "ended with status 4, before it listened"),
    ('def handshake(_): return message("HandshakeReply", protocol=2, name="fair")',
     "claims that the version of the protocol is '2', not '1'"),
    ('def handshake(_): return message("HandshakeReply", protocol=1, name="unfair")',
     "claims that its name is 'unfair', not 'fair'"),
    ('def handshake(_): return message("HandshakeReply", protocol=1, name="fair", version="2")',
     "claims that its version is '2', not '1.0.0'"),
    ('def register(_): return message("Registration")',
     "does not transform QuotaPolicy.acme.example, which quota is for"),
    ('def transform(_): raise ValueError("\\x1bno")', "fails: "),
    ("def transform(_): os.kill(os.getppid(), 9)", None),
    ('def transform(_): return message("HandshakeReply", name="x" * 9)', None),
    ('def transform(_): return message("Reply", item_json=[b"{"])', "can't be read"),
    ('def transform(_): return message("Reply", item_json=[b"a: &a [*a]"])', "can't be read"),
    ('def transform(_): return message("Reply", item_json=[b"[]"])', "item that is no object"),
    ('def transform(_): return message("Reply", item_json=[b""])', "item that is no object"),
    (
        r"""
        def transform(_): return message("Reply", item_json=[b'{"a":"\\ud800\\ud802\\ud801"}'])
        """,
        "can't be read",
    ),
    ('def transform(_): return message("Reply", item_json=[b"x" * (40 << 20)])',
     "with more than 33,554,432 bytes"),
    ('def transform(_): return message("Reply", queries=["a"])',
     "repeats queries that have been answered"),
    (
        """
        def transform(q):
            return message("Reply", queries=[f"a{len(q.answers)}{i}" for i in range(99)])
        """,
        "has more than 1,000 queries for one metapolicy",
    ),
    ('def transform(_): return message("Reply", results=[message("Result", severity="bad")])',
     "reports a finding of the severity 'bad'"),
]  # fmt: skip


@cases(*BAD, ids=map(str, range(len(BAD))))
def test_one_that_is_bad_is_ended_and_told(text: str, said: str | None, tmp_path: Path) -> None:
    note = "\nopen('pids', 'a').write(f'{os.getpid()}\\n')\n"
    found = problem(rogue(tmp_path, note + dedent(text)))
    if said is not None:
        assert said in found
    assert all_end(told(tmp_path / "pids", 1))


@cases(*rows_of(__file__, "one_that_hangs_is_ended_and_told"))
def test_one_that_hangs_is_ended_and_told(text: str, said: str, tmp_path: Path) -> None:
    assert problem(rogue(tmp_path, text, start=60, answer=5)) == said


def test_one_that_never_listens_is_ended_and_told(tmp_path: Path) -> None:
    said = "does not listen on SPOKERENDER_EXTENSION_SOCKET within 1 seconds"
    assert problem(rogue(tmp_path, "time.sleep(600)", start=1)) == said


def test_one_that_is_no_program_is_told(tmp_path: Path) -> None:
    program = extension(tmp_path)
    for path, why in (("none", "No such file"), (".", "Permission denied")):
        command = ProgramCommand(tmp_path / path, tmp_path)
        broken = ExtensionProgram("fair", "1.0.0", command, 1, 1, program.definitions)
        assert why in problem(broken)


def test_one_that_ignores_sigterm_is_killed_with_all_that_it_started(tmp_path: Path) -> None:
    text = f"""\
    import signal, subprocess
    signal.signal = lambda *_: None
    import spokerender.authoring.extensions as serving
    pids = open("pids", "a")
    child = subprocess.Popen([{sys.executable!r}, "-c", "import time; time.sleep(600)"])
    pids.write(f"{{os.getpid()}}\\n{{child.pid}}\\n")
    pids.close()
    """
    (reply,) = Asked(rogue(tmp_path, text)).ask()
    assert isinstance(reply, FunctionOutput)
    assert all_end(told(tmp_path / "pids", 2))
