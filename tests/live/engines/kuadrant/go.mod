module spokerender.test/live/kuadrant

go 1.26.4

require github.com/kuadrant/kuadrant-operator v1.5.2
