"""A program of a project: what it is given, what it may use, and that nothing of it stays."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from spokerender.edge.processes import (
    KeptProgram,
    Limits,
    ProcessError,
    ProgramCommand,
    ProgramOutcome,
    find_program,
    run_program,
)
from tests.edge.processes.programs import LONG, all_end, is_alive, program, told
from tests.support import cases, each, rows_of

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="its children are found on Linux")
FAMILY = f"""
    import os, sys, time
    def note():
        with open("pids", "a") as file:
            file.write(f"{{os.getpid()}}\\n")
    note()
    for away in (False, True):
        if os.fork() == 0:
            if away and os.fork():
                os._exit(0)
            if away:
                os.setsid()
            note()
            time.sleep({LONG})
"""
"""It has a child, and one that has left its group, its session and its parent."""


def ran(folder: Path, text: str, data: bytes = b"", limits: Limits | None = None) -> ProgramOutcome:
    """How a program ended."""
    return run_program(ProgramCommand(program(folder, text), folder), data, limits or Limits())


def test_it_reads_and_writes_more_than_a_pipe_holds(tmp_path: Path) -> None:
    text = """
        import sys
        data = sys.stdin.buffer.read()
        sys.stdout.buffer.write(data)
        sys.stderr.write("said")
        sys.exit(3)
    """
    data = bytes(range(256)) * 4096
    assert ran(tmp_path, text, data) == ProgramOutcome(3, data, b"said")


def test_it_need_not_read(tmp_path: Path) -> None:
    assert ran(tmp_path, "print('done')", b"x" * 1_000_000) == ProgramOutcome(0, b"done\n", b"")


def test_of_our_environment_it_gets_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("LC_ALL", "de_DE")
    text = "import os; print(sorted({*os.environ} - {'TMPDIR'}), os.environ['LC_ALL'], os.getcwd())"
    ended = run_program(
        ProgramCommand(program(tmp_path, text), tmp_path, environment={"MINE": "1"}), b"", Limits()
    )
    assert ended.out.decode() == f"['LC_ALL', 'MINE', 'PATH', 'TZ'] C.UTF-8 {tmp_path}\n"


def test_it_has_no_file_of_ours_and_no_terminal(tmp_path: Path) -> None:
    secret = os.open("/etc/hostname", os.O_RDONLY)
    os.set_inheritable(secret, True)
    try:
        found = ran(tmp_path, "import os; print(sorted(map(int, os.listdir('/proc/self/fd')))[:5])")
    finally:
        os.close(secret)
    assert found.out in (b"[0, 1, 2, 3]\n", b"[0, 1, 2, 3, 4]\n")  # those that look
    with pytest.raises(ProcessLookupError):
        os.killpg(int(ran(tmp_path, "import os; print(os.getsid(0))").out), 0)


def test_its_signals_are_as_a_program_expects_them(tmp_path: Path) -> None:
    text = "import os, signal, sys; signal.signal(13, signal.SIG_DFL); os.kill(os.getpid(), 13)"
    assert ran(tmp_path, text).code == -signal.SIGPIPE
    script = tmp_path / "script"
    script.write_text("#!/bin/sh\nkill -PIPE $$\necho survived\n", encoding="utf-8")
    script.chmod(0o755)
    assert run_program(ProgramCommand(script, tmp_path), b"", Limits()).code == -signal.SIGPIPE


@each(*rows_of(__file__, "what_hangs_is_stopped"))
def test_what_hangs_is_stopped(text: str, tmp_path: Path) -> None:
    ended = ran(tmp_path, f"{text}\nimport time; time.sleep({LONG})", limits=Limits(seconds=0.5))
    assert (ended.code, ended.stopped) == (-9, "it is still running after 0.5 seconds")


@each("stdout", "stderr")
def test_what_floods_is_stopped(stream: str, tmp_path: Path) -> None:
    text = f"import sys\nwhile True: sys.{stream}.write('x' * 65536)"
    ended = ran(tmp_path, text, limits=Limits(output_bytes=1 << 20))
    assert ended.stopped == "it writes more than 1,048,576 bytes"


@LINUX
def test_what_takes_too_much_memory_gets_none(tmp_path: Path) -> None:
    text = "x = bytearray(300 << 20)"
    assert ran(tmp_path, text).code == 0
    ended = ran(tmp_path, text, limits=Limits(memory_bytes=200 << 20))
    assert (ended.code, b"MemoryError" in ended.err) == (1, True)


@LINUX
@each(True, False)
def test_its_children_end_with_it(stays: bool, tmp_path: Path) -> None:
    text = FAMILY + "    while open('pids').read().count('\\n') < 3: time.sleep(0.01)\n"
    text += f"    time.sleep({LONG})" if stays else "    print('done')"
    assert bool(ran(tmp_path, text, limits=Limits(seconds=2)).stopped) is stays
    assert [each for each in told(tmp_path / "pids", 3) if is_alive(each)] == []


@LINUX
@each(signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
def test_nothing_outlives_us(number: int, tmp_path: Path) -> None:
    found = program(tmp_path, FAMILY + f"    time.sleep({LONG})")
    text = (
        "import sys; from pathlib import Path; from spokerender.edge.processes import *\n"
        f"run_program(ProgramCommand(Path({str(found)!r}), Path({str(tmp_path)!r})), b'', Limits())"
    )
    with subprocess.Popen([sys.executable, "-c", text], stderr=subprocess.DEVNULL) as we:
        family = told(tmp_path / "pids", 3)
        os.kill(we.pid, number)
    assert all_end(family)


@LINUX
def test_without_its_keeper_it_ends(tmp_path: Path) -> None:
    text = f"import os, time; print(os.getppid(), flush=True); time.sleep({LONG})"
    with KeptProgram(ProgramCommand(program(tmp_path, text), tmp_path), Limits()) as kept:
        os.kill(int(kept.stdout.read(20)), signal.SIGKILL)
        assert kept.wait(20) == -signal.SIGKILL


def test_it_is_asked_to_end(tmp_path: Path) -> None:
    text = f"""
        import signal, sys, time
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(5))
        print("ready", flush=True)
        time.sleep({LONG})
    """
    with KeptProgram(ProgramCommand(program(tmp_path, text), tmp_path), Limits()) as kept:
        assert kept.wait(0) is None
        assert kept.stdout.read(6) == b"ready\n"
        kept.terminate()
        assert kept.wait(20) == 5
        assert kept.wait() == 5
    kept.terminate()


def test_a_program_is_found_in_the_folder_or_on_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = program(tmp_path, "")
    assert find_program("./program", tmp_path) == path
    assert find_program("sh", tmp_path).name == "sh"
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_program("program", Path("/")) == path


@cases(*rows_of(__file__, "what_is_no_program_is_told"))
def test_what_is_no_program_is_told(name: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("", encoding="utf-8")
    (tmp_path / "folder").mkdir()
    with pytest.raises(ProcessError) as caught:
        find_program(name, tmp_path)
    assert str(caught.value) == message


def test_what_the_system_can_not_execute_is_told(tmp_path: Path) -> None:
    path = tmp_path / "binary"
    path.write_bytes(b"\x7fELF rubbish")
    path.chmod(0o755)
    with pytest.raises(ProcessError, match="Exec format error"):
        run_program(ProgramCommand(path, tmp_path), b"", Limits())


def test_a_lock_that_an_interrupted_wait_leaves_taken_stops_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A signal may come between the two: `Popen.wait` would wait for its own lock for ever."""
    monkeypatch.setattr("spokerender.edge.processes._PATIENCE_SECONDS", 0.2)
    command = ProgramCommand(program(tmp_path, f"import time; time.sleep({LONG})"), tmp_path)
    with KeptProgram(command, Limits()) as kept:
        kept._keeper._waitpid_lock.acquire()  # type: ignore[attr-defined]
    kept._keeper._waitpid_lock.release()  # type: ignore[attr-defined]
    assert kept._keeper.wait(10) is not None
