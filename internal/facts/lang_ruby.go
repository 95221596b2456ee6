package facts

func rubyTable() *table { return &table{} }
