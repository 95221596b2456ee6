package repo

import (
	"sync"

	"cohop/internal/git"
	"cohop/internal/redact"
)

// messages gives the messages of commits as git has them, secrets masked. It is
// safe for concurrent use.
type messages struct {
	repo *git.Repo

	mu   sync.Mutex
	rd   *git.Reader // opened when first needed
	seen map[[20]byte]string
}

// maxSeen is how many messages are kept: an answer shows the same few commits
// beside many of its files.
const maxSeen = 1024

func (m *messages) get(id [20]byte) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if msg, ok := m.seen[id]; ok {
		return msg
	}
	if m.rd == nil {
		m.rd = m.repo.NewReader()
	}
	if m.seen == nil || len(m.seen) >= maxSeen {
		m.seen = map[[20]byte]string{}
	}
	raw, err := m.rd.Message(id)
	if err != nil {
		raw = "" // a commit that went since: it has no words to show
	}
	masked, _ := redact.MaskProse([]byte(raw))
	m.seen[id] = string(masked)
	return m.seen[id]
}

func (m *messages) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.rd != nil {
		m.rd.Close()
		m.rd = nil
	}
}
