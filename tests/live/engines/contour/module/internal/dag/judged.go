package dag

import (
	"encoding/json"
	"io"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/sirupsen/logrus"
	core_v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"sigs.k8s.io/controller-runtime/pkg/client"
	gatewayapi_v1 "sigs.k8s.io/gateway-api/apis/v1"
	gatewayapi_v1alpha2 "sigs.k8s.io/gateway-api/apis/v1alpha2"
	gatewayapi_v1alpha3 "sigs.k8s.io/gateway-api/apis/v1alpha3"
	gatewayapi_v1beta1 "sigs.k8s.io/gateway-api/apis/v1beta1"

	"github.com/projectcontour/contour/internal/k8s"
	"github.com/projectcontour/contour/internal/metrics"
)

const judgedController = "projectcontour.io/gateway-controller"

// Judge returns the objects of a hub that have a status, once Contour has written it. Each Gateway
// has a Contour of its own, as the provisioner makes it, which looks at no other Gateway.
func Judge(texts []json.RawMessage) ([]client.Object, error) {
	objects, err := readHub(texts)
	if err != nil {
		return nil, err
	}
	classes := map[string]*gatewayapi_v1.GatewayClass{}
	for _, object := range objects {
		if class, ok := object.(*gatewayapi_v1.GatewayClass); ok && class.Spec.ControllerName == judgedController {
			classes[class.Name] = class
		}
	}
	for _, object := range objects {
		gateway, ok := object.(*gatewayapi_v1.Gateway)
		if !ok || classes[string(gateway.Spec.GatewayClassName)] == nil {
			continue
		}
		judgeGateway(objects, gateway, classes[string(gateway.Spec.GatewayClassName)])
	}
	var judged []client.Object
	for _, object := range objects {
		switch object.(type) {
		case *gatewayapi_v1.Gateway, *gatewayapi_v1.HTTPRoute, *gatewayapi_v1.GRPCRoute,
			*gatewayapi_v1alpha2.TLSRoute, *gatewayapi_v1alpha2.TCPRoute, *gatewayapi_v1alpha3.BackendTLSPolicy:
			judged = append(judged, object)
		}
	}
	return judged, nil
}

func readHub(texts []json.RawMessage) ([]client.Object, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		core_v1.AddToScheme, gatewayapi_v1.Install, gatewayapi_v1alpha2.Install,
		gatewayapi_v1alpha3.Install, gatewayapi_v1beta1.Install,
	} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	decoder := serializer.NewCodecFactory(scheme).UniversalDeserializer()
	var objects []client.Object
	for _, text := range texts {
		object, _, err := decoder.Decode(text, nil, nil)
		if runtime.IsNotRegisteredError(err) {
			continue // Contour reads nothing of it
		}
		if err != nil {
			return nil, err
		}
		objects = append(objects, object.(client.Object))
	}
	return objects, nil
}

// judgeGateway lets the Contour of a Gateway write its statuses into the objects.
func judgeGateway(objects []client.Object, gateway *gatewayapi_v1.Gateway, class *gatewayapi_v1.GatewayClass) {
	logger := logrus.New()
	logger.SetOutput(io.Discard)
	builder := Builder{
		Source: KubernetesCache{
			FieldLogger: logger,
			Metrics:     metrics.NewMetrics(prometheus.NewRegistry()),
		},
		// As getDAGBuilder of its command has them, without those for other APIs.
		Processors: []Processor{
			&ListenerProcessor{},
			&GatewayAPIProcessor{FieldLogger: logger, SetSourceMetadataOnRoutes: true},
		},
	}
	for _, object := range objects {
		switch object.(type) {
		case *gatewayapi_v1.Gateway, *gatewayapi_v1.GatewayClass:
		default:
			builder.Source.Insert(object)
		}
	}
	builder.Source.Insert(class)
	builder.Source.Insert(gateway)
	for _, update := range builder.Build().StatusCache.GetStatusUpdates() {
		for i, object := range objects {
			if k8s.KindOf(object) == k8s.KindOf(update.Resource) && k8s.NamespacedNameOf(object) == update.NamespacedName {
				kind := object.GetObjectKind().GroupVersionKind()
				objects[i] = update.Mutator.Mutate(object)
				objects[i].GetObjectKind().SetGroupVersionKind(kind)
			}
		}
	}
}
