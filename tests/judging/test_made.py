"""What Kuadrant's operator makes of policies is what its own code made of the same hubs."""

import json

from tests.live.kuadrant_judge import judge
from tests.live.kuadrant_made import read_ours
from tests.support import cyaml, each, text_of

HUBS = cyaml.safe_load(text_of(__file__, "made_hubs.yaml"))["hubs"]
MADE = json.loads(text_of(__file__, "made.json"))
"""The operator's own output: `make live` compares it."""


@each(*HUBS)
def test_the_operator_makes_the_same(name: str) -> None:
    assert read_ours(judge(HUBS[name]).judgement) == MADE[name]
