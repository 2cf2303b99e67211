// SPDX-License-Identifier: Apache-2.0
// Copyright Authors of Cilium

package helpers

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	mcsapiv1beta1 "sigs.k8s.io/mcs-api/pkg/apis/v1beta1"
)

// derivedService is DerivedServiceAnnotation of sigs.k8s.io/mcs-api/controllers, a module that is
// not to be had; the rest of this file is Cilium's.
const derivedService = "multicluster.kubernetes.io/derived-service"

// HasServiceImportSupport return if the ServiceImport CRD is supported.
func HasServiceImportSupport(scheme *runtime.Scheme) bool {
	return scheme.Recognizes(mcsapiv1beta1.SchemeGroupVersion.WithKind(kindServiceImport))
}

func GetServiceName(svcImport *mcsapiv1beta1.ServiceImport) (string, error) {
	backendServiceName, ok := svcImport.Annotations[derivedService]
	if !ok {
		return "", fmt.Errorf("%s %s/%s does not have annotation %s", svcImport.Kind, svcImport.Namespace, svcImport.Name, derivedService)
	}

	return backendServiceName, nil
}
