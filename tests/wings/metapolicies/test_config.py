"""What a definition of metapolicies may hold."""

import pytest
from pydantic import ValidationError

from spokerender.config.documents import explain_validation_error
from spokerender.wings.metapolicies.config import MAX_VARIABLES, Declarative


def test_variables_are_not_too_many() -> None:
    many = {f"v{number}": "1" for number in range(MAX_VARIABLES)}
    assert len(Declarative.model_validate({"variables": many}).variables) == MAX_VARIABLES
    with pytest.raises(ValidationError) as error:
        Declarative.model_validate({"variables": many | {"more": "1"}})
    (fault,) = explain_validation_error(error.value, Declarative)
    assert fault.message == "must have at most 100 entries, but has 101"
