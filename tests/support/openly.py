"""The same work with every value in the open from the beginning, each spoke done by itself."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from unittest import mock

from spokerender.rendering.bundles.bundler import Bundler


@contextmanager
def in_the_open() -> Iterator[None]:
    """Let what is rendered inside be rendered without slots."""
    with mock.patch(
        "spokerender.rendering.bundles.bundler.Bundler", partial(Bundler, with_slots=False)
    ):
        yield
