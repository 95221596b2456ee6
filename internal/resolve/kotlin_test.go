package resolve

import "testing"

func TestPlatformsOf(t *testing.T) {
	for name, want := range map[string]platforms{
		"common": everywhere, "jvm": anyJVM, "jsAndWasmShared": onJS | onWasmJS | onWasmWasi,
		"wasmJs": onWasmJS, "wasmWasi": onWasmWasi, "nativeDarwin": onApple, "mingwX64": onWindows,
		"nonJvm": somewhere &^ anyJVM, "nonApple": somewhere &^ onApple, "jvmAndPosix": anyJVM | onUnix | onWindows,
		"androidNative": onAndroidNative, "iosSimulatorArm64": onIOS,
	} {
		if got, known := platformsOf(name); got != want || !known {
			t.Errorf("%s is for %b (known: %v), want %b", name, got, known, want)
		}
	}
	for _, name := range []string{"", "concurrent", "Aé", "main", "non"} {
		if got, known := platformsOf(name); got != somewhere || known {
			t.Errorf("%q is for %b (known: %v)", name, got, known)
		}
	}
}

func TestSourceSet(t *testing.T) {
	s := &site{dirs: map[string]bool{"core/common/src": true, "okio/src/commonMain": true}}
	for path, want := range map[string]sourceSet{
		"core/common/src/a/A.kt":               {"core", "common", everywhere, false},
		"core/concurrent/test/A.kt":            {"core", "concurrent", somewhere, true},
		"core/benchmarks/jvm/kotlin/a/A.kt":    {"core/benchmarks", "jvm", anyJVM, false},
		"other/concurrent/test/A.kt":           {"other/concurrent", "main", anyJVM, true},
		"okio/src/jvmTest/kotlin/okio/A.kt":    {"okio", "jvm", anyJVM, true},
		"okio/src/zlibMain/kotlin/okio/A.kt":   {"okio", "zlib", somewhere, false},
		"okio/src/hash/kotlin/okio/A.kt":       {"okio", "hash", somewhere, false},
		"app/src/main/kotlin/a/A.kt":           {"app", "main", anyJVM, false},
		"common/src/main/java/a/A.java":        {"common", "main", anyJVM, false},
		"app/src/androidTest/kotlin/a/A.kt":    {"app", "android", onAndroid, true},
		"lib/src/A.kt":                         {"lib", "main", anyJVM, false},
		"src/A.kt":                             {"", "main", anyJVM, false},
		"A.kt":                                 {"", "main", anyJVM, false},
		"jvm/src":                              {"", "main", anyJVM, false},
		"a/src/":                               {"a", "main", anyJVM, false},
		"ktor/io/jvmAndPosix/src/io/ktor/A.kt": {"ktor/io", "jvmAndPosix", anyJVM | onUnix | onWindows, false},
	} {
		if got := s.sourceSet(path); got != want {
			t.Errorf("%s: %+v, want %+v", path, got, want)
		}
	}
}

// What a statement of Kotlin means, where several files have what it names.
func TestKotlinTargets(t *testing.T) {
	wantEachEdges(t, []edgeCase{
		{"the actual of the own set, else the narrowest around it; common files mean the expect", map[string]string{
			"m/common/src/B.kt":        "package p\ntype Buffer",
			"m/jvm/src/B.kt":           "package p\ntype Buffer",
			"m/nonJvm/src/B.kt":        "package p\ntype Buffer",
			"m/common/src/C.kt":        "package q\nimport p.Buffer",
			"m/common/test/T.kt":       "package q\nimport p: *\nuse Buffer",
			"m/jvm/test/T.kt":          "package q\nimport p.Buffer",
			"m/linux/src/L.kt":         "package q\nimport p.Buffer",
			"app/src/main/java/A.java": "package q\nimport p.Buffer",
		}, `
			m/common/src/C.kt import m/common/src/B.kt 1.00
			m/common/test/T.kt import m/common/src/B.kt 0.90
			m/common/test/T.kt use m/common/src/B.kt 0.90
			m/jvm/test/T.kt import m/jvm/src/B.kt 1.00
			m/linux/src/L.kt import m/nonJvm/src/B.kt 1.00
			app/src/main/java/A.java import m/jvm/src/B.kt 1.00`},
		{"sets that are not compiled together see nothing of each other", map[string]string{
			"m/common/src/A.kt": "package p\ntype A",
			"m/js/src/J.kt":     "package p\ndef counter\ntype Only",
			"x/src/X.kt":        "package q\nimport p: *\ncall counter",
			"x/src/Y.kt":        "package q\nimport p.Only",
			"m/common/src/C.kt": "package q\nimport p: *\ncall counter\nuse A",
		}, `
			x/src/Y.kt import m/js/src/J.kt 1.00
			m/common/src/C.kt import m/common/src/A.kt 0.90
			m/common/src/C.kt use m/common/src/A.kt 0.90`},
		{"what one platform has alone is an overload, the file with most is meant", map[string]string{
			"m/common/src/A.kt": "package p\ndef make\ndef make",
			"m/jvm/src/B.kt":    "package p\ndef make",
			"m/common/src/E.kt": "package p\ndef late",
			"m/jvm/src/E.kt":    "package p\ndef late",
			"m/js/src/E.kt":     "package p\ndef late",
			"m/jvm/test/T.kt":   "package q\nimport p.make\nimport p.late",
		}, `
			m/jvm/test/T.kt import m/common/src/A.kt 1.00
			m/jvm/test/T.kt import m/jvm/src/E.kt 1.00`},
		{"of extensions that of the type that the file knows best", map[string]string{
			"src/Buffer.kt": "package p\nextend Buffer.write\nextend Buffer.size",
			"src/Sink.kt":   "package p\nextend Sink.write\nextend Sink.size",
			"a/Sink.kt":     "package s\ntype Sink\nimport p.write\ncall write\nuse Buffer",
			"a/Use.kt":      "package q\nimport p.write\ncall buffer.write\nuse Sink",
			"a/Names.kt":    "package q\nimport p.write\nuse Sink",
			"a/Nothing.kt":  "package q\nimport p: *\ncall write",
		}, `
			a/Sink.kt import src/Sink.kt 1.00
			a/Sink.kt call src/Sink.kt 1.00
			a/Use.kt import src/Buffer.kt 1.00
			a/Use.kt call src/Buffer.kt 0.60
			a/Names.kt import src/Sink.kt 1.00`},
		{"extensions in sight are members of what reads like their type; of others they are a guess", map[string]string{
			"src/Flow.kt": "package p\nextend Flow.launchIn",
			"a/Like.kt":   "package q\nimport p: *\ncall flow.launchIn",
			"a/Known.kt":  "package q\nimport p: *\ncall it.launchIn\nuse Flow",
			"a/Not.kt":    "package q\nimport p: *\ncall it.launchIn",
			"a/Out.kt":    "package q\ncall flow.launchIn",
		}, `
			a/Like.kt call src/Flow.kt 0.60
			a/Known.kt call src/Flow.kt 0.80
			a/Not.kt call src/Flow.kt 0.40`},
		{"an interface is not called, what makes it is; a type goes before functions", map[string]string{
			"src/Job.kt":  "package p\niface Job",
			"src/Make.kt": "package p\ndef Job",
			"a/Call.kt":   "package q\nimport p: *\ncall Job",
			"a/Use.kt":    "package q\nimport p.Job\nuse Job\ncall Job",
		}, `
			a/Call.kt import src/Make.kt 0.90
			a/Call.kt call src/Make.kt 0.90
			a/Use.kt import src/Job.kt 1.00
			a/Use.kt call src/Job.kt 1.00
			a/Use.kt use src/Job.kt 1.00`},
		{"private, called properties and read functions are not meant; a nested type is not imported by its package", map[string]string{
			"src/A.kt":  "package p\nhidden go\nconst size\ndef run",
			"src/B.kt":  "package p\ntype Outer\ninner Outer.Params",
			"src/P.kt":  "package p\ntype Params",
			"a/Use.kt":  "package q\nimport p: *\ncall go\ncall size\nuse run",
			"a/Real.kt": "package q\nimport p.Params",
		}, `a/Real.kt import src/P.kt 1.00`},
		{"a library's type leads nowhere, nor does what a file has itself", map[string]string{
			"src/A.kt":  "package p\ntype A\ndef A.create\ndef state",
			"a/Use.kt":  "package q\nimport p: *\ncall Activator.create\ntype B\nfield B.state\ncall state",
			"a/Text.kt": "package q\nimport p: *\ncall String.create",
		}, ``},
	})
}
