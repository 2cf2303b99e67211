"""Open Cluster Management's placement, computed from files as its scheduler decides in a hub.

`inventory` reads the objects, `scheduling` decides one Placement by the rows of `filters` and
`prioritizers`. Source: open-cluster-management-io/ocm 00f84c32b03b,
`pkg/placement`.
"""
