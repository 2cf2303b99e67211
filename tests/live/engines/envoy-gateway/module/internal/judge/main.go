// Envoy Gateway's translator on hubs of JSON lists: the statuses that it would write, and its IR,
// which has what is in force on each listener and route, with the xDS that proxies get of it.
package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"os"
	"time"

	"google.golang.org/protobuf/encoding/protojson"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	gwapiv1 "sigs.k8s.io/gateway-api/apis/v1"

	egv1a1 "github.com/envoyproxy/gateway/api/v1alpha1"
	"github.com/envoyproxy/gateway/internal/gatewayapi"
	"github.com/envoyproxy/gateway/internal/gatewayapi/resource"
	"github.com/envoyproxy/gateway/internal/gatewayapi/status"
	"github.com/envoyproxy/gateway/internal/ir"
	"github.com/envoyproxy/gateway/internal/logging"
	"github.com/envoyproxy/gateway/internal/xds/translator"
)

const namespace = "envoy-gateway-system"

// A certificate and its key, for the objects of hubs that have to have one: hubs have none in clear.
var certificate, key = certificateAndKey()

func certificateAndKey() ([]byte, []byte) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		fail(err)
	}
	template := x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{"*.shop.example", "b.example"}, IsCA: true,
		BasicConstraintsValid: true, NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageCertSign,
	}
	signed, err := x509.CreateCertificate(rand.Reader, &template, &template, &private.PublicKey, private)
	if err != nil {
		fail(err)
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		fail(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: encoded})
}

// certify puts the certificate where a hub says that there is one.
func certify(data map[string]string) {
	for name, text := range data {
		if text == "CERTIFICATE" {
			data[name] = string(certificate)
		}
	}
}

func main() {
	var hubs [][]json.RawMessage
	if err := json.NewDecoder(os.Stdin).Decode(&hubs); err != nil {
		fail(err)
	}
	answers := make([]any, len(hubs))
	for i, hub := range hubs {
		answers[i] = translated(hub)
	}
	if err := json.NewEncoder(os.Stdout).Encode(answers); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func translated(hub []json.RawMessage) (answer any) {
	defer func() {
		if failure := recover(); failure != nil {
			answer = map[string]any{"error": fmt.Sprint("panic: ", failure)}
		}
	}()
	// The controller's own certificate, without which nothing is translated.
	own := &corev1.Secret{Data: map[string][]byte{corev1.TLSCertKey: {}, corev1.TLSPrivateKeyKey: {}, "ca.crt": {}}}
	own.Namespace, own.Name = namespace, "envoy"
	// And the one by which it signs the cookies of OIDC.
	signing := &corev1.Secret{Data: map[string][]byte{"hmac-secret": []byte("secret")}}
	signing.Namespace, signing.Name = namespace, "envoy-oidc-hmac"
	all := &resource.Resources{Secrets: []*corev1.Secret{own, signing}}
	for _, object := range hub {
		if err := add(all, object); err != nil {
			return map[string]any{"error": err.Error()}
		}
	}
	all.Sort()
	attachProxies(all)
	gateways := &gatewayapi.Translator{
		GatewayControllerName: egv1a1.GatewayControllerName,
		GatewayClassName:      gwapiv1.ObjectName(all.GatewayClass.Name),
		ControllerNamespace:   namespace,
		MergeGateways:         gatewayapi.IsMergeGatewaysEnabled(all),
		// Both are off in a new installation; fleet.yaml of the hubs says which is on.
		BackendEnabled:          all.GatewayClass.Annotations["judge/enableBackend"] != "false",
		EnvoyPatchPolicyEnabled: true,
		Logger:                  logging.DefaultLogger(io.Discard, egv1a1.LogLevelError),
	}
	result, err := gateways.Translate(context.Background(), all)
	if err != nil {
		return map[string]any{"error": err.Error()}
	}
	for _, gateway := range result.Gateways {
		// As the provider does before it writes the status.
		if status.GatewayAccepted(gateway) {
			status.UpdateGatewayStatusAccepted(gateway)
		}
	}
	return map[string]any{
		"policies": []any{
			result.SecurityPolicies, result.BackendTrafficPolicies, result.ClientTrafficPolicies,
			result.EnvoyExtensionPolicies, result.EnvoyPatchPolicies, result.BackendTLSPolicies,
		},
		"routes": []any{
			result.HTTPRoutes, result.GRPCRoutes, result.TLSRoutes, result.TCPRoutes, result.UDPRoutes,
		},
		"gateways": []any{result.Gateways, result.ListenerSets},
		"xds":      result.XdsIR,
		"envoy":    resources(result.XdsIR),
	}
}

// resources makes the xDS of each proxy, by types, if it is asked for by an argument.
func resources(irs map[string]*ir.Xds) map[string]any {
	made := map[string]any{}
	if len(os.Args) > 1 && os.Args[1] == "xds" {
		for key, each := range irs {
			made[key] = resourcesOf(each.DeepCopy())
		}
	}
	return made
}

func resourcesOf(own *ir.Xds) (answer map[string]any) {
	defer func() {
		if failure := recover(); failure != nil {
			answer = map[string]any{"error": fmt.Sprint("panic: ", failure)}
		}
	}()
	xds := &translator.Translator{
		ControllerNamespace: namespace,
		GlobalRateLimit:     &translator.GlobalRateLimitSettings{ServiceURL: "grpc://limits." + namespace + ":8081"},
		FilterOrder:         own.FilterOrder,
		Logger:              logging.DefaultLogger(io.Discard, egv1a1.LogLevelError),
	}
	answer = map[string]any{}
	table, err := xds.Translate(context.Background(), own)
	if err != nil {
		answer["error"] = err.Error()
	}
	if table == nil {
		return answer
	}
	for kind, each := range table.XdsResources {
		texts := []json.RawMessage{}
		for _, one := range each {
			text, err := protojson.MarshalOptions{UseProtoNames: true}.Marshal(one)
			if err != nil {
				fail(err)
			}
			texts = append(texts, text)
		}
		answer[kind] = texts
	}
	return answer
}

func add(all *resource.Resources, object json.RawMessage) error {
	var kind struct{ Kind string }
	if err := json.Unmarshal(object, &kind); err != nil {
		return err
	}
	switch kind.Kind {
	case "GatewayClass":
		class := new(gwapiv1.GatewayClass)
		if err := json.Unmarshal(object, class); err != nil {
			return err
		}
		// A class of another controller, and its gateways, are that one's.
		if class.Spec.ControllerName == egv1a1.GatewayControllerName {
			all.GatewayClass = class
		}
		return nil
	case "EnvoyProxy":
		return more(object, &all.EnvoyProxiesForGateways)
	case "HTTPRouteFilter":
		return more(object, &all.HTTPRouteFilters)
	case "Gateway":
		return more(object, &all.Gateways)
	case "ListenerSet":
		return more(object, &all.ListenerSets)
	case "HTTPRoute":
		return more(object, &all.HTTPRoutes)
	case "GRPCRoute":
		return more(object, &all.GRPCRoutes)
	case "TLSRoute":
		return more(object, &all.TLSRoutes)
	case "TCPRoute":
		return more(object, &all.TCPRoutes)
	case "UDPRoute":
		return more(object, &all.UDPRoutes)
	case "ReferenceGrant":
		return more(object, &all.ReferenceGrants)
	case "Namespace":
		return more(object, &all.Namespaces)
	case "Service":
		return more(object, &all.Services)
	case "EndpointSlice":
		return more[discoveryv1.EndpointSlice](object, &all.EndpointSlices)
	case "Secret":
		if err := more[corev1.Secret](object, &all.Secrets); err != nil {
			return err
		}
		secret := all.Secrets[len(all.Secrets)-1]
		if secret.Type == corev1.SecretTypeTLS && len(secret.Data) == 0 {
			secret.Data = map[string][]byte{corev1.TLSCertKey: certificate, corev1.TLSPrivateKeyKey: key}
		}
		return nil
	case "ConfigMap":
		if err := more[corev1.ConfigMap](object, &all.ConfigMaps); err != nil {
			return err
		}
		certify(all.ConfigMaps[len(all.ConfigMaps)-1].Data)
		return nil
	case "Backend":
		return more(object, &all.Backends)
	case "BackendTLSPolicy":
		return more(object, &all.BackendTLSPolicies)
	case "EnvoyExtensionPolicy":
		return more(object, &all.EnvoyExtensionPolicies)
	case "EnvoyPatchPolicy":
		return more(object, &all.EnvoyPatchPolicies)
	case "SecurityPolicy":
		return more(object, &all.SecurityPolicies)
	case "BackendTrafficPolicy":
		return more(object, &all.BackendTrafficPolicies)
	case "ClientTrafficPolicy":
		return more(object, &all.ClientTrafficPolicies)
	}
	return fmt.Errorf("the kind %s is not read here", kind.Kind)
}

// attachProxies makes the EnvoyProxy that the class names that of the class, as the provider does.
func attachProxies(all *resource.Resources) {
	named := all.GatewayClass.Spec.ParametersRef
	if named == nil {
		return
	}
	for _, proxy := range all.EnvoyProxiesForGateways {
		if proxy.Name == named.Name && proxy.Namespace == string(*named.Namespace) {
			all.EnvoyProxyForGatewayClass = proxy
		}
	}
}

func more[T any](object json.RawMessage, list *[]*T) error {
	read := new(T)
	*list = append(*list, read)
	return json.Unmarshal(object, read)
}
