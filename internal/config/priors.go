package config

// Names of fitted features that are role priors rather than column weights: a
// table of the configuration, a dot, and then the role.
const (
	PriorAsk    = "priors.ask."
	PriorChange = "priors.change."
	PriorReport = "priors.report."
	PriorNamed  = "priors.named."
)
