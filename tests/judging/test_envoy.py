"""What we say of requests is what a real Envoy does with them: ten of the hubs of `make live`."""

from pathlib import Path

import pytest

from tests.live.envoy_expected import EQUAL, UNKNOWN
from tests.live.envoy_files import FILES, FOLDER, read
from tests.live.envoy_judge import judge_hub
from tests.live.envoy_process import find_envoy, make_certificate

pytestmark = [
    pytest.mark.envoy,
    pytest.mark.skipif(find_envoy() is None, reason="Envoy is not installed: `make envoy` does it"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    own = tmp_path_factory.mktemp("envoy")
    make_certificate(own)
    return own


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.jsonl")), ids=lambda path: path.stem)
def test_a_proxy_does_with_requests_what_we_say(path: Path, folder: Path) -> None:
    verdicts = [*judge_hub(*read(path), folder, path.stem.replace("-", " "))]
    assert [str(one) for one in verdicts if one.how not in (EQUAL, UNKNOWN)] == []
    assert len(verdicts) > FILES
