package repo_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// What a file holds when it is shown may not be what was indexed: nothing is
// known of its secrets.
func TestTextOfAFileThatChangedIsMasked(t *testing.T) {
	s := newShop(t)
	name := filepath.Join(s.dir, "run.go")
	if err := os.WriteFile(name, []byte("package shop // edited\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	st := s.open()
	f, ok := st.View.Find("run.go")
	if !ok || !st.Snapshot.Dirty {
		t.Fatal("the edit is not seen")
	}
	const secret = "hunter2-Xq93kdLz81"
	if err := os.WriteFile(name, []byte("package shop\n\nvar password = \""+secret+"\"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	var text []byte
	st.Texts([]int32{f}, func(_ int32, b []byte) { text = bytes.Clone(b) })
	if bytes.Contains(text, []byte(secret)) {
		t.Errorf("shown: %s", text)
	}
}
