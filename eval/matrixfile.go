package eval

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
)

// matrixMagic begins a file of features; its number is the version.
//
//	1: magic line; one line of JSON (matrixHeader); then the X of every task
//	   in order as little-endian float32.
const matrixMagic = "rank-features 1\n"

// Limits of what is read: a damaged header must not ask for all memory.
const (
	maxHeader = 256 << 20
	maxFiles  = 1 << 24 // of one task's pool
	maxNames  = 1 << 12
)

type matrixHeader struct {
	Names []string     `json:"names"`
	Sets  []Set        `json:"sets"`
	Tasks []matrixTask `json:"tasks"`
}

type matrixTask struct {
	ID       string `json:"id"`
	Repo     string `json:"repo"`
	Set      int    `json:"set"`
	N        int    `json:"n"`
	Relevant []int  `json:"relevant"`
	Answers  int    `json:"answers"`
	Promoted []int  `json:"promoted,omitempty"`
}

// WriteMatrix writes m so that weights can be fitted again without asking
// the engine again. It holds no text of a task and no path.
func WriteMatrix(w io.Writer, m *Matrix) error {
	if err := m.check(); err != nil {
		return fmt.Errorf("write features: %w", err)
	}
	h := matrixHeader{Names: m.Names, Sets: m.Sets}
	for i := range m.Tasks {
		t := &m.Tasks[i]
		mt := matrixTask{ID: t.ID, Repo: t.Repo, Set: t.Set, N: t.N, Relevant: t.Relevant, Answers: t.Answers}
		for k, p := range t.Promoted {
			if p {
				mt.Promoted = append(mt.Promoted, k)
			}
		}
		h.Tasks = append(h.Tasks, mt)
	}
	b := bufio.NewWriterSize(w, 1<<16)
	head, err := json.Marshal(&h)
	if err != nil {
		return fmt.Errorf("write features: %w", err)
	}
	b.WriteString(matrixMagic)
	b.Write(head)
	b.WriteByte('\n')
	var four [4]byte
	for i := range m.Tasks {
		for _, v := range m.Tasks[i].X {
			binary.LittleEndian.PutUint32(four[:], math.Float32bits(v))
			b.Write(four[:])
		}
	}
	if err := b.Flush(); err != nil { // holds the first error of any write
		return fmt.Errorf("write features: %w", err)
	}
	return nil
}

// ReadMatrix reads what WriteMatrix wrote. name is used in messages only.
func ReadMatrix(r io.Reader, name string) (*Matrix, error) {
	m, err := readMatrix(r)
	if err != nil {
		return nil, fmt.Errorf("read features %s: %w", name, err)
	}
	return m, nil
}

func readMatrix(r io.Reader) (*Matrix, error) {
	b := bufio.NewReaderSize(r, 1<<16)
	magic := make([]byte, len(matrixMagic))
	if _, err := io.ReadFull(b, magic); err != nil || string(magic) != matrixMagic {
		return nil, errors.New("not a file of features, or of another version")
	}
	var head []byte
	for {
		part, err := b.ReadSlice('\n')
		head = append(head, part...)
		if len(head) > maxHeader {
			return nil, fmt.Errorf("header beyond %d bytes", maxHeader)
		}
		if err == nil {
			break
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return nil, fmt.Errorf("header: %w", err)
		}
	}
	var h matrixHeader
	if err := json.Unmarshal(head, &h); err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	if len(h.Names) > maxNames {
		return nil, fmt.Errorf("%d features", len(h.Names))
	}
	m := &Matrix{Names: h.Names, Sets: h.Sets}
	block := make([]byte, 1<<14)
	for _, mt := range h.Tasks {
		if mt.N < 0 || mt.N > maxFiles {
			return nil, fmt.Errorf("task %q: %d files", mt.ID, mt.N)
		}
		t := TaskFeatures{ID: mt.ID, Repo: mt.Repo, Set: mt.Set, N: mt.N, Relevant: mt.Relevant, Answers: mt.Answers}
		if len(mt.Promoted) > 0 {
			t.Promoted = make([]bool, mt.N)
			for _, k := range mt.Promoted {
				if k < 0 || k >= mt.N {
					return nil, fmt.Errorf("task %q: promoted file %d of %d", mt.ID, k, mt.N)
				}
				t.Promoted[k] = true
			}
		}
		// X grows with what is there, not with what the header promises.
		for left := len(h.Names) * mt.N; left > 0; {
			n := min(left, len(block)/4)
			if _, err := io.ReadFull(b, block[:4*n]); err != nil {
				return nil, fmt.Errorf("task %q: %w", mt.ID, err)
			}
			for k := range n {
				t.X = append(t.X, math.Float32frombits(binary.LittleEndian.Uint32(block[4*k:])))
			}
			left -= n
		}
		m.Tasks = append(m.Tasks, t)
	}
	if _, err := b.ReadByte(); err != io.EOF {
		return nil, errors.New("more data than the header says")
	}
	return m, m.check()
}
