package model

// ProvidersFor are the names of the providers in the Telemetries of a proxy, the overridden ones too.
func (t *Telemetries) ProvidersFor(proxy *Proxy) []string {
	applied := t.applicableTelemetries(proxy, nil)
	names := []string{}
	for _, metrics := range applied.Metrics {
		for _, provider := range metrics.GetProviders() {
			names = append(names, provider.GetName())
		}
	}
	for _, logging := range applied.Logging {
		for _, each := range logging.Logging {
			for _, provider := range each.GetProviders() {
				names = append(names, provider.GetName())
			}
		}
	}
	for _, tracing := range applied.Tracing {
		for _, provider := range tracing.GetProviders() {
			names = append(names, provider.GetName())
		}
	}
	return names
}
