package facts

import (
	"bytes"
	"strings"
	"testing"
)

func TestCalmMacros(t *testing.T) {
	for _, c := range []struct{ src, gone string }{
		{"class API_EXPORT Foo {};", "API_EXPORT"},
		{"class ALIGNED(16) Foo {};", "ALIGNED(16)"},
		{"UV_EXTERN int uv_run(int x);", "UV_EXTERN"},
		{"UV_EXTERN const char* uv_name(void);", "UV_EXTERN"},
		{"int a;\nUV_EXTERN uv_loop_t* uv_loop(void);", "UV_EXTERN"},
		{"static FORCE_INLINE\nuint32 f();", "FORCE_INLINE"},
		{"namespace a {\nNS_BEGIN\nclass B;\n}", "NS_BEGIN"},
		{"struct A {\n  COMMON_FIELDS\n};", "COMMON_FIELDS"},
		{"class A {\n  Q_OBJECT\n public:\n};", "Q_OBJECT"},
		{"int x GUARDED_BY(mu_);", "GUARDED_BY(mu_)"},
		{"void f() EXCLUSIVE_LOCKS_REQUIRED(mu_) {}", "EXCLUSIVE_LOCKS_REQUIRED(mu_)"},
		{"void f(char* _Nonnull p);", "_Nonnull"},
		{"extern \"C\" WEAK_SYMBOL void f();", "WEAK_SYMBOL"},
		// These stay.
		{"DWORD count = 1;", ""},
		{"HANDLE open(int x);", ""},
		{"enum E {\n  ONLY_ONE\n};", ""},
		{"enum E {\n  FIRST_ONE,\n  LAST_ONE\n};", ""},
		{"int x = FIRST_FLAG | SECOND_FLAG;", ""},
		{"#define EXPORT_MARK int x\nint y;", ""},
		{"// class API_EXPORT Foo {};", ""},
		{"char *s = \"class API_EXPORT Foo\";", ""},
		{"if (x) LOG_ERROR(y);", ""},
		{"return MAKE_THING(x);", ""},
		{"TEST_CASE(Foo, Bar)\n{\n}", ""},
	} {
		src := []byte(c.src)
		got := string(calmMacros(src))
		want := c.src
		if c.gone != "" {
			want = strings.Replace(c.src, c.gone, strings.Repeat(" ", len(c.gone)), 1)
		}
		if got != want {
			t.Errorf("%q\nbecomes %q", c.src, got)
		}
		if string(src) != c.src {
			t.Errorf("%q: the source itself was changed", c.src)
		}
	}
}

func TestCalmCython(t *testing.T) {
	src := `cimport numpy as cnp
from libc.math cimport sqrt

cdef extern from "x.h":
    int ext(int a)

cdef double LIMIT = 1.0

cdef class Tree(Base):
    cdef int n
    cpdef double value(self, double x,
                       int y=2) except -1:  # comment
        cdef int i = 0
        return helper(x)
    def plain(self, a): return a

cdef inline void fast(int* p) noexcept nogil:
    pass
`
	f := Extract("python", []byte(src))
	check(t, f)
	diff(t, "symbol", symbolLines(f), `
		class Tree 9-15
		method Tree.value 11-14 sig=12
		method Tree.plain 15-15
		func fast 17-18`)
	diff(t, "import", importLines(f), "numpy as cnp\nlibc.math {sqrt}")
	diff(t, "ref", refLines(f), ": ext(\n: a\nTree: Base<\nvalue: helper(\nvalue: x")
	plain := []byte("x = 1\ndef f(a): pass\n")
	if got := calmCython(plain); &got[0] != &plain[0] {
		t.Error("plain Python is copied")
	}
}

func FuzzCalmCython(f *testing.F) {
	f.Add([]byte("cdef class A(B):\n  cpdef int f(self, int\n x) except -1: # c\n    cdef int i\nfrom a cimport b\r\ncimport c\ncdef:\n x"))
	f.Fuzz(func(t *testing.T, src []byte) {
		before := bytes.Clone(src)
		got := calmCython(src)
		if !bytes.Equal(src, before) || len(got) != len(src) {
			t.Fatal("the source was changed")
		}
		for i := range src {
			if (src[i] == '\n') != (got[i] == '\n') {
				t.Fatalf("line ends differ at %d", i)
			}
		}
	})
}

func FuzzCalm(f *testing.F) {
	f.Add([]byte("class API_EXPORT Foo { int x GUARDED_BY(mu_); };\n#define A \\\n b\nNS_BEGIN\n\"s\\\"\" 'c' /* x */"))
	f.Fuzz(func(t *testing.T, src []byte) {
		before := bytes.Clone(src)
		got := calmMacros(src)
		if !bytes.Equal(src, before) {
			t.Fatal("the source was changed")
		}
		if len(got) != len(src) {
			t.Fatalf("%d bytes of %d", len(got), len(src))
		}
		for i := range src {
			if got[i] != src[i] && (got[i] != ' ' || src[i] == '\n') {
				t.Fatalf("byte %d: %q for %q", i, got[i], src[i])
			}
		}
	})
}
