// Kuadrant's operator on hubs of JSON lists: the action sets of the plugin of each Gateway.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/kuadrant/policy-machinery/machinery"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	kuadrantv1 "github.com/kuadrant/kuadrant-operator/api/v1"
	"github.com/kuadrant/kuadrant-operator/api/v1alpha1"
	controllers "github.com/kuadrant/kuadrant-operator/internal/controller"
	"github.com/kuadrant/kuadrant-operator/internal/wasm"
)

func main() {
	var hubs [][]json.RawMessage
	if err := json.NewDecoder(os.Stdin).Decode(&hubs); err != nil {
		fail(err)
	}
	answers := make([]map[string][]wasm.ActionSet, len(hubs))
	for i, hub := range hubs {
		var options []machinery.GatewayAPITopologyOptionsFunc
		for _, text := range hub {
			options = append(options, read(text))
		}
		configs, err := controllers.Plugins(context.Background(), options)
		if err != nil {
			fail(err)
		}
		answers[i] = map[string][]wasm.ActionSet{}
		for gateway, config := range configs {
			answers[i][gateway] = config.ActionSets
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(answers); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func read(text json.RawMessage) machinery.GatewayAPITopologyOptionsFunc {
	var of struct {
		Kind string `json:"kind"`
	}
	if err := json.Unmarshal(text, &of); err != nil {
		fail(err)
	}
	switch of.Kind {
	case "GatewayClass":
		return machinery.WithGatewayClasses(object[gatewayv1.GatewayClass](text))
	case "Gateway":
		return machinery.WithGateways(object[gatewayv1.Gateway](text))
	case "HTTPRoute":
		return machinery.WithHTTPRoutes(object[gatewayv1.HTTPRoute](text))
	case "GRPCRoute":
		return machinery.WithGRPCRoutes(object[gatewayv1.GRPCRoute](text))
	case "AuthPolicy":
		return machinery.WithGatewayAPITopologyPolicies(object[kuadrantv1.AuthPolicy](text))
	case "RateLimitPolicy":
		return machinery.WithGatewayAPITopologyPolicies(object[kuadrantv1.RateLimitPolicy](text))
	case "TokenRateLimitPolicy":
		return machinery.WithGatewayAPITopologyPolicies(object[v1alpha1.TokenRateLimitPolicy](text))
	}
	return func(*machinery.GatewayAPITopologyOptions) {} // the operator reads nothing of it
}

func object[T any](text json.RawMessage) *T {
	read := new(T)
	if err := json.Unmarshal(text, read); err != nil {
		fail(err)
	}
	return read
}
