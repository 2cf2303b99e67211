"""The client certificate that a Gateway presents to backends, as its parameters name it."""

from collections.abc import Iterable, Iterator

from msgspec import Struct

from spokerender.model import GATEWAY_CLASS
from spokerender.model.refs import Ref
from spokerender.model.slots import consult
from spokerender.topology.graph import Topology, is_merged
from spokerender.topology.node import Node

_PARAMETERS = ("spec", "infrastructure")


class Presented(Struct, frozen=True):
    """A Secret with a certificate for backends, and the parameters that name it."""

    secret: Ref
    parameters: Ref

    @property
    def is_near(self) -> bool:
        """Return whether Secret and parameters are in one namespace, as they have to be."""
        return self.secret.namespace == self.parameters.namespace


def find_presented(topology: Topology, gateway: Node) -> Presented | None:
    """Return the certificate in a Gateway's parameters, without which TLS to backends fails.

    Envoy Gateway (contexts.go, GetBackendTLSConfig) prefers a certificate that the Gateway itself
    names, and ignores it if it is invalid: so the result is None if the Gateway names one.
    """
    if gateway.presents is not None:
        return None
    parameters = next(_list_parameters(topology, gateway), None)
    if parameters is None or parameters.presents is None:
        return None
    return Presented(parameters.presents, parameters.ref)


def _list_parameters(topology: Topology, gateway: Node) -> Iterator[Node]:
    """Yield the parameters of a Gateway: first its own, then those of its class."""
    own_class = topology.find(Ref(*GATEWAY_CLASS, "", gateway.gateway_class))
    own = gateway.needs if not is_merged(topology, gateway.ref) else ()
    links = [link for link in own if link.path[: len(_PARAMETERS)] == _PARAMETERS]
    for link in (*links, *(own_class.needs if own_class is not None else ())):
        parameters = topology.find(link.ref)
        if parameters is not None:
            yield parameters


def explain_presented(topology: Topology, gateways: Iterable[Ref]) -> tuple[str, bool]:
    """Return why TLS to backends may fail from all Gateways (else ""), and if that is certain."""
    nodes = (topology.nodes.get(ref) for ref in sorted(gateways))
    problems = [_explain(topology, node) for node in nodes if node is not None]
    if not all(why for why, _ in problems) or not problems:
        return "", False
    return problems[0][0], all(is_certain for _, is_certain in problems)


def _explain(topology: Topology, gateway: Node) -> tuple[str, bool]:
    presented = find_presented(topology, gateway)
    if presented is None:
        return "", False
    secret, parameters = presented.secret, presented.parameters
    if not presented.is_near:
        return f"{parameters} names {secret}, which is in another namespace", True
    if topology.is_absent(secret):
        return f"{parameters} names {secret}, which is not there", True
    if topology.find(secret) is None and not consult(topology.around.external.__contains__, secret):
        return f"the spoke has to have {secret}, the certificate for backends", False
    return "", False
