package facts

// kindWeight is how much of a definition a symbol is: what a file is about
// first, what it merely holds last.
var kindWeight = [...]float64{
	KindOther:     0.5,
	KindModule:    1,
	KindClass:     1,
	KindInterface: 1,
	KindStruct:    1,
	KindEnum:      1,
	KindFunction:  0.9,
	KindMethod:    0.7,
	KindConst:     0.6,
	KindVar:       0.5,
	KindField:     0.3,
	KindType:      0.9,
	KindMacro:     0.8,
	KindSection:   0.15,
	KindKey:       0.15,
}

// Weight says in [0,1] how much of a definition a symbol of the kind is.
func (k Kind) Weight() float64 {
	if int(k) >= len(kindWeight) {
		return 0
	}
	return kindWeight[k]
}

// Callable tells functions and methods: what they hold is their own business.
func (k Kind) Callable() bool { return k == KindFunction || k == KindMethod }
