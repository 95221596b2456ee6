package resolve

// IsManifest reports whether files of a language say how the names of others
// are to be read, so that a change of one may change every edge.
func IsManifest(lang string) bool { return isManifest(lang) }

// SeesThrough reports whether a file of a language makes visible to those that
// import it what it imports itself, without naming it: C's includes.
func SeesThrough(lang string) bool { return familyOf[lang] == famC }

// Script reports whether the language's modules belong to the family of
// JavaScript.
func Script(lang string) bool { return familyOf[lang] == famJS }
