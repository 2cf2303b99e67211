"""How often something is done: costs that tests hold in steps."""

from typing import Any

import pytest


def calls_of(monkeypatch: pytest.MonkeyPatch, holder: object, name: str) -> list[tuple[Any, ...]]:
    """A list that gets the arguments of each call of a module's function or a class's method."""
    called: list[tuple[Any, ...]] = []
    function = getattr(holder, name)

    def noting(*arguments: Any, **named: Any) -> Any:
        called.append(arguments)
        return function(*arguments, **named)

    monkeypatch.setattr(holder, name, noting)
    return called
