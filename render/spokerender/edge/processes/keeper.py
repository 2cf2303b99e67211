"""A keeper process for a program: it ends the program and all that the program started.

The package starts it in a Python that reads no settings. The keeper holds one end of a pipe,
the lifeline: it ends the program when the other end closes, because the starting process closed it
or died. On Linux the orphans of the program become children of the keeper, whatever group they are
in (`PR_SET_CHILD_SUBREAPER`, prctl(2)), and the program dies with it (`PR_SET_PDEATHSIG`).
"""

import contextlib
import ctypes
import errno
import json
import os
import resource
import select
import signal
import sys
from typing import Any, NoReturn

_SET_PDEATHSIG, _SET_CHILD_SUBREAPER = 1, 36  # linux/prctl.h
_IS_LINUX = sys.platform == "linux"


def keep_program(arguments: list[str]) -> None:
    """Run the program that the first argument describes; report its end to the pipe `status`."""
    order = json.loads(arguments[0])
    lifeline, status = order["lifeline"], order["status"]
    # The program must hold neither end, or it could speak for us.
    os.set_inheritable(lifeline, False)
    os.set_inheritable(status, False)
    _prctl(_SET_CHILD_SUBREAPER, 1)
    woken, wake = os.pipe()  # it can be read from whenever a child has ended
    os.set_blocking(woken, False)
    os.set_blocking(wake, False)
    # A signal and a closed pipe can then be awaited by one `select`.
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    program, failed = _started(order)
    if failed:
        os.write(status, f"failed {failed}".encode())
        return
    # Only the starting process talks to the program.
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nothing, stream)
    code = _watched(program, lifeline, woken)
    _end_all(program)
    os.write(status, f"exit {code}".encode())


def _started(order: dict[str, Any]) -> tuple[int, int]:
    """Start the program; return its process id and 0, or an error number other than 0."""
    # Nothing to read means that `exec` closed the pipe, so the program runs.
    failure, report = os.pipe()  # closed by `exec`
    keeper = os.getpid()
    program = os.fork()
    if program == 0:
        os.close(failure)
        _become(order, keeper, report)
    os.close(report)
    failed = os.read(failure, 16)
    os.close(failure)
    if failed:
        os.waitpid(program, 0)
    return program, int(failed or 0)


def _become(order: dict[str, Any], keeper: int, report: int) -> NoReturn:
    try:
        os.setpgid(0, 0)
        _prctl(_SET_PDEATHSIG, signal.SIGKILL)
        # The signal is only sent for deaths after the call.
        if os.getppid() != keeper:  # the keeper died before that
            os._exit(1)
        for number in (signal.SIGCHLD, signal.SIGPIPE, signal.SIGXFSZ):
            # Python ignores some signals, and `exec` would hand that on.
            signal.signal(number, signal.SIG_DFL)
        for name, most in order["limits"].items():
            _limit(name, most)
        os.chdir(order["folder"])
        os.execve(order["path"], order["arguments"], order["environment"])  # noqa: S606  (no shell)
    except OSError as error:
        os.write(report, str(error.errno or errno.EIO).encode())
    os._exit(1)


def _limit(name: str, most: int) -> None:
    """Set both limits `name` (of module `resource`) of this process to `most`, if it is lower."""
    number = getattr(resource, name, None)
    if number is None:
        return
    # A process may lower its hard limit and never raise it.
    hard = resource.getrlimit(number)[1]
    if hard != resource.RLIM_INFINITY:
        most = min(most, hard)
    with contextlib.suppress(OSError, ValueError):  # not every system has every limit
        resource.setrlimit(number, (most, most))


def _watched(program: int, lifeline: int, woken: int) -> int:
    """Wait for the program's end, kill it if `lifeline` closes, and return its exit status.

    A byte in `lifeline` makes the keeper send SIGTERM; a byte in `woken` says that a child ended.
    """
    while True:
        code = _reaped(program)
        if code is not None:
            return code
        readable, _, _ = select.select([lifeline, woken], [], [])
        if woken in readable:
            os.read(woken, 4096)
        if lifeline in readable:
            if not os.read(lifeline, 4096):
                _signal(program, signal.SIGKILL)
                return os.waitstatus_to_exitcode(os.waitpid(program, 0)[1])
            _signal(program, signal.SIGTERM)


def _reaped(program: int) -> int | None:
    """Reap ended children, orphans of the program too; return its status, or None if it runs."""
    while True:
        try:
            # All children, since orphans of the program become ours.
            child, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return None
        if child == program:
            return os.waitstatus_to_exitcode(status)
        if child == 0:
            return None


def _signal(program: int, number: int) -> None:
    """Send a signal to the program, whatever group it is in, and to the group it began in."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(program, number)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if os.getpgid(program) != program:  # a second SIGTERM could kill it while it ends in order
            os.kill(program, number)


def _end_all(program: int) -> None:
    """End what the program left running: its group, and on Linux everything that it started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(program, signal.SIGKILL)
    # Again until none is left: those that die may leave orphans.
    while children := _children():
        for child in children:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(child, signal.SIGKILL)
        for child in children:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(child, 0)


def _children() -> list[int]:
    """Return the child processes of the keeper; on Linux only (proc_pid_stat(5))."""
    if not _IS_LINUX:
        return []
    children = []
    for entry in os.listdir("/proc"):  # noqa: PTH208  (starting counts)
        if not entry.isdecimal():
            continue
        try:
            with open(f"/proc/{entry}/stat", "rb") as file:  # noqa: PTH123  (starting counts)
                text = file.read()
        except OSError:
            continue
        # The name of a process may have brackets and spaces in it.
        fields = text.rpartition(b")")[2].split()
        if int(fields[1]) == os.getpid():
            children.append(int(entry))
    return children


def _prctl(option: int, value: int) -> None:
    if _IS_LINUX:
        ctypes.CDLL(None).prctl(option, ctypes.c_ulong(value), 0, 0, 0)


if __name__ == "__main__":
    keep_program(sys.argv[1:])
