package main

import (
	"encoding/json"
	"fmt"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "open-cluster-management.io/api/cluster/v1"
	clusterv1alpha1 "open-cluster-management.io/api/cluster/v1alpha1"
	clusterv1beta1 "open-cluster-management.io/api/cluster/v1beta1"
	clusterv1beta2 "open-cluster-management.io/api/cluster/v1beta2"
	"sigs.k8s.io/yaml"
)

// definitions are the schemas of CRDs by apiVersion and kind.
type definitions map[string]definition

type definition struct {
	structural *structuralschema.Structural
	validator  validation.SchemaValidator
}

func (d definitions) add(text []byte) {
	var crd apiextensionsv1.CustomResourceDefinition
	check(yaml.Unmarshal(text, &crd))
	for _, version := range crd.Spec.Versions {
		props := &apiextensions.JSONSchemaProps{}
		check(apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(
			version.Schema.OpenAPIV3Schema, props, nil))
		validator, _, err := validation.NewSchemaValidator(props)
		check(err)
		name := fmt.Sprintf("%s/%s %s", crd.Spec.Group, version.Name, crd.Spec.Names.Kind)
		d[name] = definition{must(structuralschema.NewStructural(props)), validator}
	}
}

// hub are the objects that the scheduler reads.
type hub struct {
	objects []runtime.Object
}

// read returns the objects as an API server would hand them out, and what it would refuse of them.
func (d definitions) read(objects []json.RawMessage) (hub, []string, error) {
	var read hub
	var refused []string
	for _, text := range objects {
		var data map[string]any
		if err := json.Unmarshal(text, &data); err != nil {
			return read, nil, err
		}
		kind := fmt.Sprint(data["kind"])
		if found, ok := d[fmt.Sprintf("%s %s", data["apiVersion"], kind)]; ok {
			defaulting.PruneNonNullableNullsWithoutDefaults(data, found.structural)
			defaulting.Default(data, found.structural)
			for _, fault := range validation.ValidateCustomResource(nil, data, found.validator) {
				refused = append(refused, kind+" "+fault.Error())
			}
			text = must(json.Marshal(data))
		}
		object, ok := map[string]runtime.Object{
			"ManagedCluster":           &clusterv1.ManagedCluster{},
			"ManagedClusterSet":        &clusterv1beta2.ManagedClusterSet{},
			"ManagedClusterSetBinding": &clusterv1beta2.ManagedClusterSetBinding{},
			"Placement":                &clusterv1beta1.Placement{},
			"PlacementDecision":        &clusterv1beta1.PlacementDecision{},
			"AddOnPlacementScore":      &clusterv1alpha1.AddOnPlacementScore{},
		}[kind]
		if !ok {
			return read, nil, fmt.Errorf("no kind %s", kind)
		}
		if err := json.Unmarshal(text, object); err != nil {
			return read, nil, err
		}
		object.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{}) // as clients decode it
		read.objects = append(read.objects, object)
	}
	return read, refused, nil
}

func first[T runtime.Object](h hub) T {
	for _, object := range h.objects {
		if typed, ok := object.(T); ok {
			return typed
		}
	}
	panic("there is no such object")
}
