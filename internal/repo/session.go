package repo

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	// SessionLife is how long an unused session is kept: a week's work that
	// is taken up again on Monday.
	SessionLife = 7 * 24 * time.Hour

	// maxSessions is how many sessions a repository keeps, the last used.
	maxSessions = 256

	// maxSession bounds one session's file: some thousand remembered chunks
	// with long paths.
	maxSession = 4 << 20

	// sessionPart is the folder of sessions in a repository's cache; the
	// number is raised when what is in them changes.
	sessionPart = "session-1"
	sessionExt  = ".session"
)

// sessionPath names the file of a stream. What the stream is called by its
// client is never a file's name.
func (s *State) sessionPath(stream string) string {
	if s.cache == nil || s.cache.dir == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(stream))
	return filepath.Join(s.cache.dir, sessionPart, hex.EncodeToString(sum[:16])+sessionExt)
}

// ReadSession returns what WriteSession kept of a stream. It is nil when there
// is nothing, when it is too old, and when it does not check.
func (s *State) ReadSession(stream string) []byte {
	name := s.sessionPath(stream)
	if name == "" {
		return nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxSession || time.Since(info.ModTime()) > SessionLife {
		return nil
	}
	b, err := io.ReadAll(io.LimitReader(f, maxSession))
	if err != nil || len(b) < sha256.Size {
		return nil
	}
	sum := sha256.Sum256(b[sha256.Size:])
	if !bytes.Equal(sum[:], b[:sha256.Size]) {
		return nil
	}
	return b[sha256.Size:]
}

// WriteSession keeps data for a stream, whole or not at all, and lets go of
// sessions that are over. Of two writers of one stream the last one stays.
// Without a cache it does nothing.
func (s *State) WriteSession(stream string, data []byte) error {
	name := s.sessionPath(stream)
	if name == "" {
		return nil
	}
	if len(data) > maxSession-sha256.Size {
		return fmt.Errorf("keep session: %d bytes are more than %d", len(data), maxSession-sha256.Size)
	}
	if s.cache.sub(sessionPart) == "" {
		return fmt.Errorf("keep session: the folder %s cannot be made", filepath.Dir(name))
	}
	sum := sha256.Sum256(data)
	if err := writeAtomic(name, sum[:], data); err != nil {
		return fmt.Errorf("keep session: %w", cause(err))
	}
	sweepSessions(filepath.Dir(name), time.Now())
	return nil
}

// DropSession forgets a stream.
func (s *State) DropSession(stream string) error {
	name := s.sessionPath(stream)
	if name == "" {
		return nil
	}
	if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("forget session: %w", cause(err))
	}
	return nil
}

// sweepSessions removes sessions that are too old or too many, and what killed
// writers left.
func sweepSessions(dir string, now time.Time) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	type kept struct {
		name string
		used time.Time
	}
	var list []kept
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		name := filepath.Join(dir, e.Name())
		age := now.Sub(info.ModTime())
		switch {
		case strings.HasPrefix(e.Name(), ".tmp-"):
			if age > time.Hour { // nobody writes for that long
				_ = os.Remove(name)
			}
		case !strings.HasSuffix(e.Name(), sessionExt):
		case age > SessionLife:
			_ = os.Remove(name)
		default:
			list = append(list, kept{name, info.ModTime()})
		}
	}
	slices.SortFunc(list, func(a, b kept) int { return cmp.Or(b.used.Compare(a.used), strings.Compare(a.name, b.name)) })
	for _, k := range list[min(len(list), maxSessions):] {
		_ = os.Remove(k.name)
	}
}
