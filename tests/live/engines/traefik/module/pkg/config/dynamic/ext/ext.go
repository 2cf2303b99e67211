// Package ext has the fields that another edition adds to the configuration: none. It is a module of
// its own in Traefik's repository, so Traefik's module lacks it.
package ext

type (
	// HTTP extends the HTTP configuration.
	HTTP struct{}
	// Router extends a router.
	Router struct{}
)
