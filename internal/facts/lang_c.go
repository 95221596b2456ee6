package facts

func cTable() *table { return &table{} }
