package main

import (
	"fmt"

	"github.com/google/cel-go/cel"
	"k8s.io/apimachinery/pkg/runtime"
	clusterv1 "open-cluster-management.io/api/cluster/v1"
	sdkcel "open-cluster-management.io/sdk-go/pkg/cel/common"
)

func (*silent) Eventf(_ runtime.Object, _ runtime.Object, _, _, _, _ string, _ ...any) {}

// explained returns the error or the value of an expression that is not true.
func explained(program cel.Program, cluster *clusterv1.ManagedCluster) string {
	object := must(sdkcel.ConvertObjectToUnstructured(cluster))
	value, _, err := program.Eval(map[string]any{"managedCluster": object.Object})
	if err != nil {
		return err.Error()
	}
	return fmt.Sprint(value.Value())
}
