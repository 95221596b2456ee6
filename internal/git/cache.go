package git

// cacheBytes is how much a reader's cache of objects holds. Walking history
// newest first, the bases of deltas are mostly the trees just seen, which are
// few: on the repositories measured, three times as much saved no time that
// could be told from noise, and every byte of it counts twice while the
// collector works.
const cacheBytes = 12 << 20

// cacheKey is the place of an object in a pack.
type cacheKey struct {
	pack   uint32
	offset int64
}

type cached struct {
	key        cacheKey
	typ        ObjectType
	data       []byte // never written to again
	prev, next int32  // in the ring from newest to oldest
}

// objectCache keeps inflated objects, and drops those unused for the longest
// time when it holds too many bytes. Data handed out stays valid when it is
// dropped. Nodes live in one slice, node 0 being the head of the ring.
type objectCache struct {
	at    map[cacheKey]int32
	nodes []cached
	free  []int32
	bytes int
}

func (c *objectCache) get(k cacheKey) (ObjectType, []byte, bool) {
	i, ok := c.at[k]
	if !ok {
		return 0, nil, false
	}
	n := &c.nodes[i]
	if c.nodes[0].next != i {
		c.unlink(i)
		c.push(i)
	}
	return n.typ, n.data, true
}

func (c *objectCache) put(k cacheKey, typ ObjectType, data []byte) {
	// One object must not drive out all others.
	if len(data) > cacheBytes/8 {
		return
	}
	if c.at == nil {
		c.at = map[cacheKey]int32{}
		c.nodes = make([]cached, 1, 1024)
	}
	if _, ok := c.at[k]; ok {
		return
	}
	const overhead = 128 // of a node and its entry in the map
	c.bytes += len(data) + overhead
	for c.bytes > cacheBytes {
		old := c.nodes[0].prev
		c.unlink(old)
		n := &c.nodes[old]
		c.bytes -= len(n.data) + overhead
		delete(c.at, n.key)
		*n = cached{}
		c.free = append(c.free, old)
	}
	var i int32
	if last := len(c.free) - 1; last >= 0 {
		i = c.free[last]
		c.free = c.free[:last]
	} else {
		i = int32(len(c.nodes))
		c.nodes = append(c.nodes, cached{})
	}
	c.nodes[i] = cached{key: k, typ: typ, data: data}
	c.at[k] = i
	c.push(i)
}

func (c *objectCache) unlink(i int32) {
	n := &c.nodes[i]
	c.nodes[n.prev].next = n.next
	c.nodes[n.next].prev = n.prev
}

func (c *objectCache) push(i int32) {
	head := &c.nodes[0]
	c.nodes[i].prev, c.nodes[i].next = 0, head.next
	c.nodes[head.next].prev = i
	c.nodes[0].next = i
}
