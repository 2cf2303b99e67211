module spokerender.test/live/contour

go 1.26.0

require github.com/projectcontour/contour v1.33.8
