package facts

func markupSymbols(lang string, src []byte, lines []int32) ([]Symbol, []Import, bool) {
	return nil, nil, false
}
