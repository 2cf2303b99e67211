"""What an agent writes into kcp: a schema for each published kind, and an export of them."""
