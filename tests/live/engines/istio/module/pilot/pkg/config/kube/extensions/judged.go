package extensions

import (
	"strings"

	"istio.io/istio/pkg/config"
)

// TranslateWasmPlugin is the TrafficExtension that a WasmPlugin becomes.
func TranslateWasmPlugin(plugin config.Config) config.Config {
	return *translateWasmPlugin(plugin)
}

// NameOf is the kind and name of the object that a TrafficExtension was made of, or is.
func NameOf(extension string) (kind, name string) {
	if plugin, found := strings.CutSuffix(extension, syntheticMarker); found {
		return "WasmPlugin", plugin
	}
	return "TrafficExtension", extension
}
