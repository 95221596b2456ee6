package agent

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// parting is how long calls may go on once the server is told to end.
	parting = 2 * time.Second

	// headerTime bounds how slowly a client may send its headers.
	headerTime = 10 * time.Second

	// maxBody is a task of the largest size, and its envelope.
	maxBody = 2 << 20

	// leastToken is the shortest token that is no invitation to guess.
	leastToken = 16
)

// UsageError is something that was asked for and cannot be meant; its text says
// what can.
type UsageError struct{ Text string }

func (e *UsageError) Error() string { return e.Text }

// HTTP serves clients at address until ctx ends. Without a token the address
// must be of this machine alone: whoever reaches the port reads every
// repository that this user can; another, or one that is none, is a *UsageError.
// ready, if not nil, is told the address once it is listened at.
func (m *MCP) HTTP(ctx context.Context, address, token string, ready func(net.Addr)) error {
	host, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = net.DefaultResolver.LookupPort(ctx, "tcp", port)
	}
	if err != nil {
		return &UsageError{fmt.Sprintf("listen at %q: want HOST:PORT, such as 127.0.0.1:8717", address)}
	}
	if token == "" && !loopback(host) {
		return &UsageError{fmt.Sprintf("listen at %q: that is reachable from outside: give 127.0.0.1, or set a token", address)}
	}
	if token != "" && len(token) < leastToken {
		return &UsageError{fmt.Sprintf("the token has %d characters: want at least %d", len(token), leastToken)}
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("listen at %q: %w", address, err)
	}
	s := m.server(ctx, "")
	// Stateless: sessions are named in the calls. Answers are streams, since
	// progress comes before them.
	h := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{
		Stateless: true, MaxRequestBodyBytes: maxBody, PropagateRequestCancellation: true, DisableLocalhostProtection: false})
	srv := &http.Server{Handler: guard(token, http.NewCrossOriginProtection().Handler(h)), ReadHeaderTimeout: headerTime}
	if ready != nil {
		ready(l.Addr())
	}
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(l) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serve at %q: %w", address, err)
	case <-ctx.Done():
	}
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), parting)
	defer cancel()
	if err := srv.Shutdown(end); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("end serving at %q: %w", address, err)
	}
	return srv.Close()
}

// loopback tells whether a host is this machine alone.
func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// guard lets requests through that carry the token, if there is one.
func guard(token string, next http.Handler) http.Handler {
	if token == "" {
		return next
	}
	want := sha256.Sum256([]byte(token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		got := sha256.Sum256([]byte(given))
		if !ok || subtle.ConstantTimeCompare(got[:], want[:]) != 1 {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "a token is needed", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}
