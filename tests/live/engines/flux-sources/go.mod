module spokerender.test/live/flux-sources

go 1.26.0

require github.com/fluxcd/source-controller v1.9.5
