"""Sharing work between processes: by fork, as threads only slow file operations down."""

import os
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, NoReturn, TypeVar

from spokerender.findings.errors import RenderError
from spokerender.model.plan import Progress

_Item = TypeVar("_Item")
_Answer = TypeVar("_Answer")

FILES_WORTH_A_FORK = 5_000
"""Up to this number of files, starting a process costs more than it saves."""
FOLDERS_WORTH_A_FORK = 500
"""The same for folders, as their files may be few and large."""


def spread(
    items: Sequence[_Item],
    work: Callable[[Iterable[_Item]], _Answer],
    *,
    files: int,
    progress: Progress | None = None,
) -> list[_Answer]:
    """Do the work on all items, in one process or, for many files, in one for each processor.

    Args:
        items: what is distributed.
        work: done once in each process, on its part of the items. What a child process
            changes in memory is lost; what it returns is pickled.
        files: how many files it is about, roughly.
        progress: called after each item.

    Returns:
        The results of `work`, one for each process.

    Raises:
        RenderError: raised by `work`, in whichever process.
        RuntimeError: a child process crashed. No child is left running, whatever happens.

    """
    is_much = files > FILES_WORTH_A_FORK or len(items) > FOLDERS_WORTH_A_FORK
    count = max(1, min(processors(), len(items))) if is_much else 1
    own_part = list(items[::count])
    children: list[_Child] = []
    try:
        for start in range(1, count):
            part = items[start::count]
            try:
                children.append(_fork(part, work))
            except OSError:  # no more processes are allowed
                own_part += part
        answer = work(_counted(own_part, len(items), progress))
        return [answer, *(_answer(child) for child in children)]
    finally:
        for child in children:
            _end(child)


def processors() -> int:
    """Return the number of processors that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)  # macOS has none
    return len(affinity(0)) if affinity else os.cpu_count() or 1


class _Child(NamedTuple):
    pid: int
    pipe: int


def _fork(part: Sequence[_Item], work: Callable[[Iterable[_Item]], _Answer]) -> _Child:
    parent = os.getpid()
    answers, pipe = os.pipe()
    try:
        pid = os.fork()
        if pid == 0:
            _run_child(pipe, work, _while_running(part, parent))
    except OSError:
        os.close(answers)
        raise
    finally:
        os.close(pipe)
    return _Child(pid, answers)


def _run_child(
    pipe: int, work: Callable[[Iterable[_Item]], _Answer], part: Iterable[_Item]
) -> NoReturn:
    """Do the work and exit at once: what the parent has open or pending is not to be finished."""
    try:
        with open(pipe, "wb", closefd=False) as answer:
            answer.write(_outcome(work, part))
    finally:
        os._exit(0)


def _outcome(work: Callable[[Iterable[_Item]], _Answer], part: Iterable[_Item]) -> bytes:
    import pickle  # noqa: PLC0415  (most builds are small and start no process)
    import traceback  # noqa: PLC0415

    try:
        return pickle.dumps((work(part), None))
    except RenderError as error:
        return pickle.dumps((None, error))
    except BaseException:  # noqa: BLE001  (it becomes the parent's, whatever it is)
        return pickle.dumps((None, RuntimeError(traceback.format_exc())))


def _answer(child: _Child) -> Any:  # noqa: ANN401  (what `work` returns, through a pickle)
    import pickle  # noqa: PLC0415  (as above)

    with open(child.pipe, "rb", closefd=False) as pipe:
        data = pipe.read()
    if not data:
        message = f"process {child.pid}, started to share the work, was killed"
        raise RuntimeError(message)
    answer, error = pickle.loads(data)  # noqa: S301  (our own child wrote it)
    if error:
        raise error
    return answer


def _end(child: _Child) -> None:
    os.close(child.pipe)
    os.kill(child.pid, signal.SIGKILL)  # it has answered, or nobody needs its answer
    os.waitpid(child.pid, 0)


def _counted(part: Sequence[_Item], total: int, progress: Progress | None) -> Iterator[_Item]:
    """Yield the items, and report progress as if the other parts were equally far."""
    for done, item in enumerate(part, start=1):
        yield item
        if progress:
            progress(total * done // len(part), total)


def _while_running(part: Sequence[_Item], parent: int) -> Iterator[_Item]:
    """Yield the items; exit at once when the parent is gone: the next build starts anew."""
    for item in part:
        if os.getppid() != parent:
            os._exit(1)
        yield item
