"""The typed graph Gateway > ListenerSet > route > rule, with policies on their targets.

The same builder serves the hub and each spoke: a spoke is a smaller hub. It takes nodes, not
manifests: a node holds what the graph needs to know of an object, and two objects that are
connected alike have equal nodes. Import from the module that has what you need.
"""
