"""`spokerender explain`: where an object goes and as what, and what a spoke needs."""

import json

from tests.cli.project import OVERRIDES, PLACEMENT, Shell
from tests.support import cases

OBJECT = """\
AuthPolicy infra/closed (hub/auth.yaml:1)
  ships with Gateway infra/web by spec.targetRef (hub/auth.yaml:7)

On 2 spokes: eu, us
  as AuthPolicy infra/closed, in infra/authpolicy.kuadrant.io_closed.yaml
  because placement.yaml:12 places Gateway infra/web
  fields that differ from the hub:
    metadata.annotations[kuadrant.io/policy-synced]: added "true"  (hub/auth.yaml:3, set on every synced copy)
    spec.realm: added europe on eu  (hub/auth.yaml:6, override placement.yaml:17)
"""  # noqa: E501  (as it is printed)
SPOKE = """\
eu (placement.yaml:7) gets 3 objects
  placement.yaml:12 places Gateway infra/web

Rendered
  Gateway infra/web, in infra/gateway.gateway.networking.k8s.io_web.yaml
  HTTPRoute shop/shop, in shop/httproute.gateway.networking.k8s.io_shop.yaml
  AuthPolicy infra/closed, in infra/authpolicy.kuadrant.io_closed.yaml

Also needed
  Namespace infra
  Namespace shop
  GatewayClass istio: for Gateway infra/web
"""
FLEET = """\
2 spokes, 5 hub objects
SPOKE  GATEWAYS  OBJECTS  OVERRIDDEN
eu            1        3           1
us            1        3           0

On no spoke
  ConfigMap infra/hub: it hangs on no gateway of the hub
  GatewayClass hub: a GatewayClass is never rendered
"""


@cases(
    (["authpolicy/infra/closed"], OBJECT),
    ([".", "AuthPolicy.kuadrant.io/closed"], OBJECT),
    (["--spoke", "eu"], SPOKE),
    ([".", "--spoke", "eu"], SPOKE),
    ([], FLEET),
    ids=["object", "object-in-folder", "spoke", "spoke-in-folder", "fleet"],
)
def test_it_is_told(arguments: list[str], says: str, shell: Shell) -> None:
    shell.write({"placement.yaml": PLACEMENT + OVERRIDES})
    done = shell.run("explain", *arguments)
    assert (done.status, done.out, done.err) == (0, says, "")
    assert not (shell.folder / "clusters").exists()


def test_as_json(shell: Shell) -> None:
    done = shell.pass_silently("explain", "--spoke", "eu", "--format", "json")
    assert json.loads(done.out)["spoke"] == "eu"


@cases(
    (["authpolicy/infra/close"], 'did you mean "AuthPolicy/infra/closed"?'),
    (["--spoke", "ue"], 'did you mean "eu"?'),
    (["nowhere", "authpolicy/infra/closed"], "nowhere is not a folder"),
    ids=["object", "spoke", "folder"],
)
def test_nobody_is_of_that_name(arguments: list[str], says: str, shell: Shell) -> None:
    assert says in shell.refuse("explain", *arguments).err
