package resolve

type cargoSite struct{}
type psr4Root struct{}
type propSite struct{}

func (s *site) buildCargo() *cargoSite { return nil }
func (s *site) buildPSR4() []psr4Root  { return nil }
func (s *site) buildProps() *propSite  { return nil }
