"""Share work between processes, made by fork: threads only slow file operations down."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from spokerender.findings.errors import RenderError
from spokerender.model.plan import Progress

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import ForkProcess

_Item = TypeVar("_Item")
_Answer = TypeVar("_Answer")

FILES_WORTH_A_FORK = 5_000
"""Up to this number of files, starting a process costs more than it saves."""
FOLDERS_WORTH_A_FORK = 500
"""Up to this number of folders, too; their files may be few and large."""


def spread(
    items: Sequence[_Item],
    work: Callable[[Iterable[_Item]], _Answer],
    *,
    files: int,
    progress: Progress | None = None,
) -> list[_Answer]:
    """Do the work on all items in one process or, for many files, in one for each processor.

    Each process calls `work` once, with its part of the items: what a child process changes in
    memory is lost, what it returns is pickled. `files` is the approximate number of files. Returns
    the results of `work`, one for each process. Raises the `RenderError` that `work` raised in any
    process, and `RuntimeError` if a child process crashed. No child is left running.
    """
    is_much = files > FILES_WORTH_A_FORK or len(items) > FOLDERS_WORTH_A_FORK
    count = max(1, min(processors(), len(items))) if is_much else 1
    # Every n-th item, so that large neighbours are spread over all processes.
    own_part = list(items[::count])
    children: list[_Child] = []
    try:
        for start in range(1, count):
            part = items[start::count]
            try:
                children.append(_start(part, work))
            except OSError:  # no more processes are allowed
                own_part += part
        answer = work(_counted(own_part, len(items), progress))
        return [answer, *(_answer(child) for child in children)]
    finally:
        for child in children:
            child.process.kill()  # it has answered, or nobody needs its answer
            child.process.join()
            child.answers.close()


def processors() -> int:
    """Return the number of processors that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)  # macOS has none
    return len(affinity(0)) if affinity else os.cpu_count() or 1


class _Child(NamedTuple):
    process: ForkProcess
    answers: Connection


def _start(part: Sequence[_Item], work: Callable[[Iterable[_Item]], _Answer]) -> _Child:
    from multiprocessing import get_context  # noqa: PLC0415  (most builds are small and start no process)

    context = get_context("fork")  # what it works with is open here, and is not to be pickled
    answers, pipe = context.Pipe(duplex=False)
    process = context.Process(target=_run, args=(pipe, work, _while_running(part, os.getpid())))
    try:
        process.start()
    except OSError:
        answers.close()
        raise
    finally:
        pipe.close()
    return _Child(process, answers)


def _run(
    pipe: Connection, work: Callable[[Iterable[_Item]], _Answer], part: Iterable[_Item]
) -> None:
    try:
        pipe.send((work(part), None))
    except RenderError as error:
        pipe.send((None, error))
    except BaseException:  # noqa: BLE001  (it becomes the parent's, whatever it is)
        import traceback  # noqa: PLC0415  (as above)

        pipe.send((None, RuntimeError(traceback.format_exc())))


def _answer(child: _Child) -> Any:  # noqa: ANN401  (what `work` returns, through a pipe)
    try:
        answer, error = child.answers.recv()
    except EOFError as ended:
        message = f"process {child.process.pid}, started to share the work, was killed"
        raise RuntimeError(message) from ended
    if error:
        raise error
    return answer


def _counted(part: Sequence[_Item], total: int, progress: Progress | None) -> Iterator[_Item]:
    """Yield the items of a part, and report progress as if all parts had advanced equally."""
    for done, item in enumerate(part, start=1):
        yield item
        if progress:
            progress(total * done // len(part), total)


def _while_running(part: Sequence[_Item], parent: int) -> Iterator[_Item]:
    """Yield the items; exit at once if the parent process has ended."""
    for item in part:
        if os.getppid() != parent:
            os._exit(1)
        yield item
