"""What nobody sees in a project's files is seen in all that is written and told."""

from tests.cli.project import AUTH, FLEET, OVERRIDES, PLACEMENT, Shell
from tests.support import each

UNSEEN = "\u202e\U000e0041\u200b\u3164"
ARGO = f"argocd: {{repoURL: 'https://example.com/{UNSEEN}', path: 'a{UNSEEN}'}}"
ENGINES = (ARGO, ARGO.replace("{repo", "{kind: Application, repo"), "ocm: {}")
HUB = AUTH.replace(
    "  name: closed\n",
    f"  # {UNSEEN}\n  name: closed\n  annotations: {{a: 'x{UNSEEN}', b: \"y{UNSEEN}\"}}\n",
)
HUB += f"  rules: |\n    a{UNSEEN}\n    b\n  'k{UNSEEN}': >-\n    c{UNSEEN}\n    d\n"


@each(*ENGINES)
def test_nothing_that_nobody_sees_is_written_or_told(engine: str, shell: Shell) -> None:
    shell.write(
        {
            "hub/auth.yaml": HUB,
            "placement.yaml": PLACEMENT.replace("europe", f"europe{UNSEEN}") + OVERRIDES,
            "fleet.yaml": FLEET + f"  delivery: {{{engine}}}\n",
        }
    )
    commands = (("diff",), ("build",), ("build", "-o", "-"), ("check",), ("effective", "-v"))
    explained = (("explain", "AuthPolicy/infra/closed"), ("explain", "--spoke", "eu"))
    for command in (*commands, *explained):
        done = shell.run(*command)
        assert done.status in {0, 1}
        assert not set(UNSEEN) & set(done.out + done.err)
    written = [path for path in (shell.folder / "clusters").rglob("*") if path.is_file()]
    assert len(written) > len(ENGINES)
    assert not any(set(UNSEEN) & set(path.read_text()) for path in written)
