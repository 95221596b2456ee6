package resolve

import "cohop/internal/facts"

// topLevel says whether a bare name can reach the definition.
func topLevel(d *Def) bool {
	return d.Kind != facts.KindMethod && d.Kind != facts.KindField || d.Parent == "" && d.Kind == facts.KindField
}

// nested says whether d belongs to a type, so that its bare name reaches it
// only inside of that type.
func nested(d *Def) bool {
	switch d.Within {
	case facts.KindClass, facts.KindInterface, facts.KindStruct, facts.KindEnum:
		return true
	case facts.KindOther:
		return d.Parent != "" && d.Kind != facts.KindFunction && d.Kind != facts.KindVar // in an extension, not one itself
	}
	return false
}

// isExtension says whether d is a function or property at top level that is
// used as a member of its receiver.
func isExtension(d *Def) bool {
	return (d.Kind == facts.KindFunction || d.Kind == facts.KindVar) && d.Within == facts.KindOther && d.Parent != ""
}

// usable says whether a definition of that kind can be meant by that use.
func usable(k facts.Kind, r facts.RefKind) bool {
	switch k {
	case facts.KindSection, facts.KindKey, facts.KindOther:
		return false // KindOther: an impl, extension or instance, not the type
	case facts.KindField, facts.KindConst, facts.KindVar, facts.KindFunction, facts.KindMethod, facts.KindMacro:
		return r != facts.RefBase
	}
	return true
}
