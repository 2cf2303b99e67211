"""Names and addresses of hosts, without asking the network."""

import ipaddress


def is_loopback(host: str) -> bool:
    """Return whether a host name or address is that of this machine itself."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
