package facts

func moreLangs(m map[string]*fbLang)  {}
func plainLangs(m map[string]*fbLang) {}
