package git

import (
	"os"
	"path/filepath"
	"testing"
)

// TestObjectsStamp changes an object store in each way that objects come by.
func TestObjectsStamp(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	w := func(parts ...string) {
		t.Helper()
		name := filepath.Join(parts...)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w(dir, "objects", "ab", "cd")
	w(other, "pack", "pack-1.idx")
	stamp := func() [16]byte {
		var warned []string
		r := &Repo{store: openStore(filepath.Join(dir, "objects"), bySHA1, func(s string) { warned = append(warned, s) })}
		return r.ObjectsStamp()
	}
	seen := map[[16]byte]string{stamp(): "at first"}
	for _, c := range []struct {
		what string
		file []string
	}{
		{"a loose object in a new folder", []string{dir, "objects", "cd", "ef"}},
		{"a pack", []string{dir, "objects", "pack", "pack-2.idx"}},
		{"a pack of another size", []string{dir, "objects", "pack", "pack-2.idx"}},
		{"another store", []string{dir, "objects", "info", "alternates"}},
		{"a pack there", []string{other, "pack", "pack-3.idx"}},
	} {
		w(c.file...)
		switch c.what {
		case "a pack of another size":
			_ = os.WriteFile(filepath.Join(c.file...), []byte("longer"), 0o600)
		case "another store":
			_ = os.WriteFile(filepath.Join(c.file...), []byte(other+"\n"), 0o600)
		}
		s := stamp()
		if before, ok := seen[s]; ok {
			t.Errorf("%s: as %s", c.what, before)
		}
		if s != stamp() {
			t.Errorf("%s: the stamp changes by itself", c.what)
		}
		seen[s] = c.what
	}
}
