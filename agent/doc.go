// Package agent is what coding agents see of the engine: prompt hooks, an MCP
// server, and what puts both into a client's settings. All of it goes through
// rank.Open, Query and Result, as the command line does.
//
//   - hook.go, event.go: a client's event comes in on stdin, context for its
//     model goes out on stdout. A hook never blocks and never fails: what goes
//     wrong is one line on stderr.
//   - payload.go: an answer as a text of bounded size. Whole tiers go, text is
//     never cut within what is shown; a long chunk shows its first lines and
//     names the range of the rest.
//   - mcp.go, http.go: two tools over stdio and HTTP.
//   - install.go, jsonc.go: edits of settings that are someone else's, byte by
//     byte, and their way back.
//
// Limits: what clients accept is theirs to change; doc/agents.md says what was
// checked. The text of a repository is quoted as data and marked as such,
// which a model may still choose to believe.
package agent
