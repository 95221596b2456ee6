package redact

import "bytes"

// maxToken caps the bytes that one token may span: the longest real ones are
// JSON web tokens of a few kilobytes.
const maxToken = 8 << 10

// shape is a token that its issuer made recognisable by a prefix.
type shape struct {
	kind   string
	prefix string
	at     int    // which byte of the prefix triggers the look; a rare one, never the first
	set    uint16 // what follows the prefix
	min    int    // fewest bytes that follow
	exact  bool   // exactly min bytes follow
	mixed  bool   // must hold a letter and a digit: the prefix alone is a common word
}

var shapes = []shape{
	{kind: "aws-key", prefix: "AKIA", at: 1, set: upper | digit, min: 16, exact: true},
	{kind: "aws-key", prefix: "ASIA", at: 1, set: upper | digit, min: 16, exact: true},
	{kind: "github-token", prefix: "ghp_", at: 3, set: alnum, min: 30},
	{kind: "github-token", prefix: "gho_", at: 3, set: alnum, min: 30},
	{kind: "github-token", prefix: "ghu_", at: 3, set: alnum, min: 30},
	{kind: "github-token", prefix: "ghs_", at: 3, set: alnum, min: 30},
	{kind: "github-token", prefix: "ghr_", at: 3, set: alnum, min: 30},
	{kind: "github-token", prefix: "github_pat_", at: 10, set: word, min: 22},
	{kind: "gitlab-token", prefix: "glpat-", at: 5, set: word | dash | dot, min: 16},
	{kind: "gitlab-token", prefix: "gldt-", at: 4, set: word | dash, min: 16},
	{kind: "gitlab-token", prefix: "glrt-", at: 4, set: word | dash, min: 16},
	{kind: "slack-token", prefix: "xoxb-", at: 4, set: alnum | dash, min: 10, mixed: true},
	{kind: "slack-token", prefix: "xoxp-", at: 4, set: alnum | dash, min: 10, mixed: true},
	{kind: "slack-token", prefix: "xoxa-", at: 4, set: alnum | dash, min: 10, mixed: true},
	{kind: "slack-token", prefix: "xoxr-", at: 4, set: alnum | dash, min: 10, mixed: true},
	{kind: "slack-token", prefix: "xoxs-", at: 4, set: alnum | dash, min: 10, mixed: true},
	{kind: "slack-token", prefix: "xoxe-", at: 4, set: alnum | dash, min: 10, mixed: true},
	{kind: "slack-token", prefix: "xapp-", at: 4, set: alnum | dash, min: 10, mixed: true},
	{kind: "stripe-key", prefix: "sk_live_", at: 7, set: alnum, min: 10},
	{kind: "stripe-key", prefix: "sk_test_", at: 7, set: alnum, min: 10},
	{kind: "stripe-key", prefix: "rk_live_", at: 7, set: alnum, min: 10},
	{kind: "stripe-key", prefix: "rk_test_", at: 7, set: alnum, min: 10},
	{kind: "stripe-key", prefix: "whsec_", at: 5, set: alnum | b64, min: 16},
	{kind: "google-key", prefix: "AIza", at: 2, set: word | dash, min: 35},
	{kind: "google-key", prefix: "GOCSPX-", at: 6, set: word | dash, min: 20},
	{kind: "google-key", prefix: "ya29.", at: 4, set: word | dash, min: 20},
	{kind: "npm-token", prefix: "npm_", at: 3, set: alnum, min: 36},
	{kind: "pypi-token", prefix: "pypi-", at: 4, set: word | dash, min: 32, mixed: true},
	{kind: "rubygems-key", prefix: "rubygems_", at: 8, set: alnum, min: 32},
	{kind: "docker-token", prefix: "dckr_pat_", at: 8, set: word | dash, min: 20},
	{kind: "huggingface-token", prefix: "hf_", at: 2, set: alnum, min: 30},
	{kind: "digitalocean-token", prefix: "dop_v1_", at: 6, set: alnum, min: 32},
	{kind: "digitalocean-token", prefix: "doo_v1_", at: 6, set: alnum, min: 32},
	{kind: "shopify-token", prefix: "shpat_", at: 5, set: alnum, min: 32},
	{kind: "shopify-token", prefix: "shpss_", at: 5, set: alnum, min: 32},
	{kind: "shopify-token", prefix: "shpca_", at: 5, set: alnum, min: 32},
	{kind: "shopify-token", prefix: "shppa_", at: 5, set: alnum, min: 32},
	{kind: "grafana-token", prefix: "glsa_", at: 4, set: word, min: 32},
	{kind: "linear-key", prefix: "lin_api_", at: 7, set: alnum, min: 32},
	{kind: "sentry-token", prefix: "sntrys_", at: 6, set: word | b64, min: 32},
	{kind: "sendgrid-key", prefix: "SG.", at: 2, set: word | dash | dot, min: 40, mixed: true},
	{kind: "vault-token", prefix: "hvs.", at: 3, set: word | dash, min: 24, mixed: true},
	{kind: "twilio-key", prefix: "SK", at: 1, set: lower | digit, min: 32, exact: true, mixed: true},
	{kind: "mailgun-key", prefix: "key-", at: 3, set: lower | digit, min: 32, exact: true, mixed: true},
	{kind: "openai-key", prefix: "sk-", at: 2, set: word | dash, min: 32, mixed: true},
	{kind: "age-key", prefix: "AGE-SECRET-KEY-", at: 14, set: upper | digit, min: 40},
	{kind: "jwt", prefix: "eyJ", at: 2, set: word | dash, min: 10},
	{kind: "telegram-token", prefix: ":AA", at: 1, set: word | dash, min: 32},
}

// pairs says which (byte before, trigger byte) open any shape: one look
// rejects nearly every '_', '-' and '.' of ordinary code.
var pairs = func() (t [256][4]uint64) {
	for _, s := range shapes {
		c := s.prefix[s.at]
		t[s.prefix[s.at-1]][c>>6] |= 1 << (c & 63)
	}
	return t
}()

func isPair(a, b byte) bool { return pairs[a][b>>6]&(1<<(b&63)) != 0 }

// shapeAt recognises the token whose prefix has its trigger byte at i.
func shapeAt(src []byte, i int) (Hit, bool) {
	for k := range shapes {
		s := &shapes[k]
		if s.prefix[s.at] != src[i] || s.prefix[s.at-1] != src[i-1] {
			continue
		}
		start := i - s.at
		if start < 0 || !bytes.HasPrefix(src[start:], []byte(s.prefix)) {
			continue
		}
		if s.kind != "telegram-token" && start > 0 && is(src[start-1], word|s.set&^b64) {
			continue // inside a longer word; also keeps repeated prefixes linear
		}
		body := start + len(s.prefix)
		end := run(src, body, s.set, maxToken)
		switch s.kind {
		case "telegram-token": // the bot's number stands before the colon
			for start > 0 && is(src[start-1], digit) {
				start--
			}
			if n := body - 3 - start; n < 8 || n > 12 {
				continue
			}
		case "jwt":
			if end = jwtEnd(src, end); end < 0 {
				continue
			}
		}
		n := end - body
		if n < s.min || s.exact && (n != s.min || end < len(src) && is(src[end], word)) {
			continue
		}
		if v := src[body:end]; uniform(v) || s.mixed && !mixed(v) {
			continue
		}
		return Hit{start, end, s.kind}, true
	}
	return Hit{}, false
}

// jwtEnd returns the end of ".payload.signature" at i, -1 if it is not there.
// The signature may be empty (alg none).
func jwtEnd(src []byte, i int) int {
	const least = 10 // bytes of the shortest payload, {"a":1} in base64
	if i >= len(src) || src[i] != '.' {
		return -1
	}
	end := run(src, i+1, word|dash, maxToken)
	if end-i-1 < least || end >= len(src) || src[end] != '.' {
		return -1
	}
	return run(src, end+1, word|dash, maxToken)
}

// urlAt recognises credentials in a URL whose "://" begins at i:
// scheme://user:PASS@host masks PASS, scheme://TOKEN@host masks TOKEN.
// Webhook addresses that are secrets as a whole lose their path.
func urlAt(src []byte, i int) (Hit, bool) {
	if i+3 >= len(src) || src[i+1] != '/' || src[i+2] != '/' || i == 0 || !is(src[i-1], alnum) {
		return Hit{}, false
	}
	const longest = 512 // bytes of user and password
	start := i + 3
	stop := min(len(src), start+longest)
	colon := -1
	for j := start; j < stop; j++ {
		switch c := src[j]; {
		case c == ':' && colon < 0:
			colon = j
		case c == '@':
			if colon >= 0 {
				v := src[colon+1 : j]
				if len(v) == 0 || template(v) {
					return Hit{}, false
				}
				return Hit{colon + 1, j, "url-password"}, true
			}
			if v := src[start:j]; len(v) >= 16 && random(v) {
				return Hit{start, j, "url-password"}, true
			}
			return Hit{}, false
		case c == '/':
			return webhook(src, start, j)
		case c <= ' ', c == '?', c == '#', c == '"', c == '\'', c == '`', c == '<', c == '>', c == '\\', c == ')', c == '(', c == ',', c == 0x7f:
			return Hit{}, false
		}
	}
	return Hit{}, false
}

// webhooks are addresses that let anyone who knows them post.
var webhooks = []struct{ host, path string }{
	{"hooks.slack.com", "/services/"},
	{"hooks.slack.com", "/workflows/"},
	{"discord.com", "/api/webhooks/"},
	{"discordapp.com", "/api/webhooks/"},
}

func webhook(src []byte, start, slash int) (Hit, bool) {
	for _, w := range webhooks {
		if string(src[start:slash]) == w.host && bytes.HasPrefix(src[slash:], []byte(w.path)) {
			s := slash + len(w.path)
			end := run(src, s, word|dash|b64, maxToken)
			if end-s >= 16 && mixed(src[s:end]) {
				return Hit{s, end, "webhook"}, true
			}
		}
	}
	return Hit{}, false
}

// maxBlock caps a private key block: a 16,384-bit RSA key needs 13 kB.
const maxBlock = 32 << 10

// keyBlockAt recognises a block whose "-----BEGIN … PRIVATE KEY-----" has its
// last leading dash at i. The two marker lines stay; what is base64 between
// them is masked, also when the block stands in a string literal with escaped
// line breaks. It returns the hits and where the block ends.
func keyBlockAt(src []byte, i, done int) ([]Hit, int) {
	const begin, end, tail = "-----BEGIN ", "-----END ", "PRIVATE KEY"
	if i < 4 || i+1 >= len(src) || src[i+1] != 'B' || !bytes.HasPrefix(src[i-4:], []byte(begin)) {
		return nil, 0
	}
	const longestLabel = 64 // "PGP PRIVATE KEY BLOCK" and its like
	label := src[i+1 : min(len(src), i+1+longestLabel)]
	k := bytes.Index(label, []byte(tail))
	if k < 0 || bytes.IndexByte(label[:k], '\n') >= 0 {
		return nil, 0
	}
	d := bytes.Index(label[k:], []byte("-----"))
	if d < 0 || bytes.IndexByte(label[k:k+d], '\n') >= 0 {
		return nil, 0
	}
	from := max(i+1+k+d+5, done)
	to := min(len(src), from+maxBlock)
	closed := false
	if e := bytes.Index(src[from:to], []byte("-----")); e >= 0 {
		// The next marker ends this block, also when it opens another: so no
		// byte is looked at for two blocks.
		to = from + e
		closed = bytes.HasPrefix(src[to:], []byte(end))
	}

	// Runs as long as a line of base64 open the body; after the first, in a
	// closed block, everything is body: the last line may be short.
	const line = 16
	var hits []Hit
	for p := from; p < to; {
		c := src[p]
		if c == '\\' && p+1 < to { // \n, \r, \t of a string literal
			p += 2
			continue
		}
		if !is(c, alnum|b64) {
			if !closed && !is(c, blank) && c != '\n' && c != '\r' && c != '"' && c != '\'' {
				break // an open block ends where base64 does
			}
			p++
			continue
		}
		e := run(src[:to], p, alnum|b64, maxBlock)
		if v := src[p:e]; len(v) >= line && !uniform(v) || closed && len(hits) > 0 {
			hits = append(hits, Hit{p, e, "private-key"})
		}
		p = e
	}
	if len(hits) == 0 {
		return nil, 0
	}
	return join(hits, src), hits[len(hits)-1].End
}

// join makes one hit of runs that only line breaks part, so that an ordinary
// block counts as one secret. In a string literal each line counts.
func join(hits []Hit, src []byte) []Hit {
	out := hits[:1]
	for _, h := range hits[1:] {
		last := &out[len(out)-1]
		between := src[last.End:h.Start]
		keep := false
		for _, c := range between {
			if c != '\n' && c != '\r' {
				keep = true
				break
			}
		}
		if keep {
			out = append(out, h)
		} else {
			last.End = h.End
		}
	}
	return out
}
