"""The typed graph Gateway > ListenerSet > route > rule, with policies on their targets.

The same code builds the graph of the hub and of each spoke. It is built of nodes, not manifests: a
node has the facts about an object that the graph needs, so that objects with equal connections have
equal nodes. Import from the module that defines a name.
"""
