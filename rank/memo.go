package rank

import "sync"

// maxPrices is how many bytes of shown text an engine remembers, twice over.
const maxPrices = 8 << 20

// priceMemo is what chunks were found to show and to cost. Neither depends on
// the question, and a server is asked about the same files again and again. Two
// generations: when the newer one is full, the older one goes. It is safe for
// concurrent use.
type priceMemo struct {
	mu         sync.Mutex
	young, old map[int32]*priced
	bytes      int // of young
}

func (m *priceMemo) get(chunk int32) *priced {
	m.mu.Lock()
	defer m.mu.Unlock()
	if p := m.young[chunk]; p != nil {
		return p
	}
	p := m.old[chunk]
	if p != nil {
		m.add(chunk, p)
	}
	return p
}

// put keeps p, unless only its path is known and more was known before.
func (m *priceMemo) put(chunk int32, p *priced) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !p.read && (m.young[chunk] != nil || m.old[chunk] != nil) {
		return
	}
	m.add(chunk, p)
}

func (m *priceMemo) add(chunk int32, p *priced) {
	if m.bytes > maxPrices {
		m.young, m.old, m.bytes = nil, m.young, 0
	}
	if m.young == nil {
		m.young = map[int32]*priced{}
	}
	m.young[chunk] = p
	m.bytes += p.size()
}

// size is about what p holds in bytes.
func (p *priced) size() int {
	n := 512
	for i := range p.shown {
		n += len(p.shown[i].Text)
	}
	return n
}
