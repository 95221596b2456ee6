package redact

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// Secrets are put together at run time: no scanner, ours included, should find
// one in this file.
const (
	ABC = "abcdefghijklmnopqrstuvwxyz"
	dig = "0123456789"
)

// salt returns n bytes that look drawn from letters and digits.
func salt(n int) string {
	const set = ABC + "ABCDEFGHIJKLMNOPQRSTUVWXYZ" + dig
	var b strings.Builder
	for x, i := uint32(2463534242), 0; i < n; i++ {
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 5
		b.WriteByte(set[x%uint32(len(set))])
	}
	return b.String()
}

func hexSalt(n int) string {
	const set = "0123456789abcdef"
	var b strings.Builder
	for x, i := uint32(88675123), 0; i < n; i++ {
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 5
		b.WriteByte(set[x%16])
	}
	return b.String()
}

// TestPlanted plants a secret S between two strings: exactly S must be masked.
func TestPlanted(t *testing.T) {
	pem := strings.Repeat(salt(64)+"\n", 4) + salt(20) + "=="
	for _, c := range []struct {
		name          string
		before, S, to string
		kind          string
	}{
		{"aws id", "id: ", "AK" + "IA" + "ABCDEFGH23456789", "\n", "aws-key"},
		{"github", "use ", "gh" + "p_" + salt(36), " here", "github-token"},
		{"github fine", "", "github" + "_pat_" + salt(22) + "_" + salt(59), "", "github-token"},
		{"gitlab", "curl -H 'X: ", "gl" + "pat-" + salt(20), "'", "gitlab-token"},
		{"slack", "**", "xo" + "xb-" + "1234567890-" + salt(24), "**", "slack-token"},
		{"stripe", "Stripe(", "sk" + "_live_" + salt(24), ")", "stripe-key"},
		{"google", "?key=", "AI" + "za" + salt(35), "&x=1", "google-key"},
		{"jwt", "", "ey" + "J" + salt(20) + "." + salt(40) + "." + salt(43), "\n", "jwt"},
		{"npm", "echo ", "np" + "m_" + salt(36), "\n", "npm-token"},
		{"pypi", "echo ", "py" + "pi-" + "AgE" + salt(60), "\n", "pypi-token"},
		{"telegram", "bot/", "123456789:" + "AA" + salt(33), "/x", "telegram-token"},
		{"openai", "(", "sk" + "-proj-" + salt(48), ")", "openai-key"},
		{"sendgrid", "(", "S" + "G." + salt(22) + "." + salt(43), ")", "sendgrid-key"},
		{"webhook", "https://hooks.slack.com/services/", "T" + salt(8) + "/B" + salt(8) + "/" + salt(24), "\n", "webhook"},

		{"url", "postgres://admin:", "hunter2", "@db:5432/app", "url-password"},
		{"url in string", `"redis://:`, "p4ss", `@localhost"`, "url-password"},
		{"url token", "git clone https://", salt(40), "@example.org/x.git", "url-password"},

		{"python", `password = "`, "hunter22", `"`, "password"},
		{"short", `password = "`, "hunter2", `"`, "password"},
		{"aws secret", `aws_secret_access_key = "`, "wJalrXUtnFEMI" + "/K7MDENG/bPxRfiCYEXAMPLEKEY", `"`, "secret"},
		{"aws secret, ini", `aws_secret_access_key = `, "wJalrXUtnFEMI" + "/K7MDENG/bPxRfiCYEXAMPLEKEY", "\n", "secret"},
		{"python single", `PASSWORD='`, "s3cretpw", `'`, "password"},
		{"python bytes", `secret_key = b'`, `_5#y2L"F4Q8z\n\xec]/`, `'`, "secret"},
		{"typed", `password: str = "`, "hunter22", `"`, "password"},
		{"typed optional", `api_key: Optional[str] = "`, salt(24), `"`, "key"},
		{"go typed", `const apiKey string = "`, salt(24), `"`, "key"},
		{"go short", `token := "`, salt(24), `"`, "token"},
		{"backquote", "token := `", salt(24), "`", "token"},
		{"compare", `if (password === "`, "hunter22", `") {`, "password"},
		{"ruby hash", `:password => "`, "hunter22", `"`, "password"},
		{"php", `'password' => '`, "$2y$10$" + salt(53), `',`, "password"},
		{"subscript", `os.environ["SECRET_KEY"] = "`, salt(30), `"`, "secret"},
		{"pair", `os.environ.setdefault("SECRET_KEY", "`, salt(30), `")`, "secret"},
		{"json", `  "password": "`, "hunter22", `",`, "password"},
		{"json in string", `"{\"password\": \"`, "hunter22", `\"}"`, "password"},
		{"camel", `accessToken: '`, salt(32), `',`, "token"},
		{"hex", `apiKey: "`, hexSalt(32), `"`, "key"},
		{"suffix", `password_hash = "`, hexSalt(40), `"`, "password"},
		{"base", `SECRET_KEY_BASE=`, hexSalt(64), "\n", "secret"},
		{"xml", `<password>`, "hunter22", `</password>`, "password"},
		{"attribute", `<user password="`, "hunter22", `"/>`, "password"},
		{"bearer", `Authorization: Bearer `, salt(40), "\n", "credential"},
		{"bearer quoted", `headers["Authorization"] = "Bearer `, salt(40), `"`, "credential"},
		{"azure", `"DefaultEndpointsProtocol=https;AccountKey=`, salt(86) + "==", `;EndpointSuffix=x"`, "key"},
		{"connection string", `"Server=db;User=sa;Password=`, "hunter22x", `;Encrypt=no"`, "password"},
		{"query", `/cb?token=`, salt(32), `&x=1`, "token"},
		{"flag", `run --api-key=`, salt(32), ` x`, "key"},

		{"env", "A=1\nDB_PASSWORD=", "changeme", "\nB=2", "password"},
		{"env export", "export API_TOKEN=", "abcd1234", "\n", "token"},
		{"env docker", "ENV MYSQL_ROOT_PASSWORD=", "rootpw", "\n", "password"},
		{"env comment", "DB_PASS=", "geheim", " # the database\n", "password"},
		{"properties", "spring.datasource.password=", "geheim", "\n", "password"},
		{"ini", "password = ", "hunter!22", "\n", "password"},
		{"yaml", "  password: ", "hunter22", "\n", "password"},
		{"yaml list", "  - secret: ", "hunter22", "\n", "secret"},
		{"yaml quoted", "  password: '", "hunter22", "'\n", "password"},
		{"yaml token", "  token: ", salt(40), "\n", "token"},

		{"pem", "-----BEGIN RSA PRIV" + "ATE KEY-----\n", pem, "\n-----END RSA PRIV" + "ATE KEY-----\n", "private-key"},
		{"pem, open", "-----BEGIN PRIV" + "ATE KEY-----\n", salt(64), "\nand then text", "private-key"},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := c.before + c.S + c.to
			got, n := Mask([]byte(src))
			want := c.before + stars(c.S) + c.to
			if string(got) != want {
				t.Fatalf("Mask(%q)\n got %q\nwant %q", src, got, want)
			}
			if c.S == "" {
				return
			}
			if n != 1 {
				t.Errorf("%d secrets, want 1", n)
			}
			if h := Find([]byte(src)); h[0].Kind != c.kind {
				t.Errorf("kind %q, want %q", h[0].Kind, c.kind)
			}
		})
	}
}

func stars(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' {
			return r
		}
		return '*'
	}, s)
}

// TestEscapedKey masks a key block that stands in one string literal.
func TestEscapedKey(t *testing.T) {
	a, b := salt(64), salt(9)
	src := `key = "-----BEGIN PRIV` + `ATE KEY-----\n` + a + `\n` + b + `\n-----END PRIV` + `ATE KEY-----\n"`
	got, n := Mask([]byte(src))
	if bytes.Contains(got, []byte(a)) || bytes.Contains(got, []byte(b)) {
		t.Errorf("left in %s", got)
	}
	if n != 2 || !bytes.HasPrefix(got, []byte(`key = "-----BEGIN PRIV`+`ATE KEY-----\n***`)) || !bytes.HasSuffix(got, []byte(`*\n-----END PRIV`+`ATE KEY-----\n"`)) {
		t.Errorf("n = %d, got %s", n, got)
	}
}

// TestInnocent holds what ordinary repositories are full of.
func TestInnocent(t *testing.T) {
	for _, src := range []string{
		`token = get_token()`,
		`password: str`,
		`password: str = ""`,
		`secret_key=None`,
		`"password": "password"`,
		`"password": "Password"`,
		`"password": "Passwort eingeben"`,
		`"forgot_password": "Forgot your password? 24 hours"`,
		`password = password`,
		`        password=password,`,
		`    password=settings.db_password2,`,
		`login(user, password=pw1)`,
		`token := r.Header.Get("Authorization")`,
		`token, err := jwt.Parse(s)`,
		`type Token int`,
		`token: Token;`,
		`secret: Uint8Array`,
		`tok == token.IDENT`,
		`Token::Comma => 1`,
		`if password == "":`,
		`PASSWORD=$1`,
		`PASSWORD=${DB_PASSWORD:-x1234567}`,
		`password: ${{ secrets.PASSWORD1234 }}`,
		`password: "{{ vault_password_1 }}"`,
		`TOKEN=$(cat /run/secrets/token1)`,
		`password_file: /run/secrets/db_password_1`,
		`DB_PASSWORD_FILE=/run/secrets/db1`,
		`token_url = "https://example.org/oauth2/v1/token"`,
		`tokenUrl: "https://example.org/oauth2/v1/token"`,
		`token: "keyword.operator.es6"`,
		`kind = "oauth2_access_token"`,
		`auth = "oauth2_access_token"`,
		`'password' => 'required|string|min:8|confirmed'`,
		`<input type="password" name="password1" id="password2">`,
		`<label for="password">Password1</label>`,
		`fields = ["username", "password", "password2", "token"]`,
		`author = "Jane Doe <jane1984@example.org>"`,
		`authors: someone1234`,
		`tokenizer = "o200k_base_v2_x3"`,
		`compass = "north123"`,
		`bypass="route1234"`,
		`OLDPWD=/home/me1`,
		`max_tokens=4096`,
		`max_token: 1234567890123456`,
		`http://localhost:8080/a@b`,
		`https://github.com/a/b`,
		`http://{user}:{password}@host`,
		`fmt.Sprintf("https://%s:%s@host", u, p)`,
		`https://$USER:$PASS@host`,
		`ssh://git@example.org/a`,
		`npm_config_registry npm_lifecycle_event_name_that_is_long`,
		`desk-top-computers-with-very-long-names-1234567890`,
		`pypi-publish-action`,
		`self-hosted task-runner sk-learn`,
		`AKIA is a prefix; AKIAXXXXXXXXXXXXXXXX is a filler`,
		"gh" + "p_" + strings.Repeat("x", 36),
		`eyJ... is how a JWT begins`,
		`strings.Contains(s, "-----BEGIN RSA PRIVATE ` + `KEY-----") && veryLongIdentifierOfSorts(x)`,
		`const pass = iota`,
		`pass`,
		`auth: function (req) {`,
		`secret = os.environ["SECRET_2"]`,
		`password=` + "\n" + `user=x`,
		`password:`,
		`secret: !vault |`,
		`password: *anchor1234`,
		`import { token as t1 } from "./x"`,
		`key: "0123456789abcdef0123456789abcdef"`,
		`cache-key=0123456789abcdef`,
	} {
		if got, n := Mask([]byte(src)); n != 0 || string(got) != src {
			t.Errorf("%q became %q: %v", src, got, Find([]byte(src)))
		}
	}
}

func TestNoCopyNoWrite(t *testing.T) {
	clean := []byte("package main\n")
	if got, n := Mask(clean); n != 0 || &got[0] != &clean[0] {
		t.Error("clean text was copied")
	}
	src := []byte(`password = "hunt` + `er22"`)
	before := string(src)
	if got, n := Mask(src); n != 1 || string(src) != before || &got[0] == &src[0] {
		t.Errorf("n = %d; source is now %q", n, src)
	}
	if got, n := Mask(nil); got != nil || n != 0 {
		t.Errorf("Mask(nil) = %q, %d", got, n)
	}
}

func TestSeveral(t *testing.T) {
	src := "DB_PASSWORD=" + "geheim\n" + `token = "` + salt(30) + `"; url = "amqp://u:` + `pw@h"` + "\n"
	hits := Find([]byte(src))
	var kinds []string
	for _, h := range hits {
		kinds = append(kinds, h.Kind)
	}
	if got := fmt.Sprint(kinds); got != "[password token url-password]" {
		t.Errorf("kinds %s in %q", got, src)
	}
}

// check holds what must be true of any text.
func check(t *testing.T, src []byte) {
	t.Helper()
	orig := bytes.Clone(src)
	hits := Find(src)
	end := 0
	for _, h := range hits {
		if h.Start < end || h.End <= h.Start || h.End > len(src) || h.Kind == "" {
			t.Fatalf("hits %v of %d bytes %q", hits, len(src), src)
		}
		end = h.End
	}
	got, n := Mask(src)
	if !bytes.Equal(src, orig) {
		t.Fatalf("source written to")
	}
	if (n == 0) != (len(hits) == 0) || len(got) != len(src) {
		t.Fatalf("n = %d, hits %v, length %d of %d", n, hits, len(got), len(src))
	}
	for i := range got {
		if got[i] != src[i] && (got[i] != '*' || src[i] == '\n' || src[i] == '\r') {
			t.Fatalf("byte %d of %q became %q", i, src, got[i])
		}
	}
	if utf8.Valid(src) && !utf8.Valid(got) {
		t.Fatalf("%q became invalid UTF-8 %q", src, got)
	}
	if again, n := Mask(got); n != 0 || !bytes.Equal(again, got) {
		t.Fatalf("masking again changed %q to %q", got, again)
	}
}

func TestTruncations(t *testing.T) {
	src := `x` + "\n" + `export DB_PASSWORD=hun` + `ter22 # c` + "\n" + `{"token": "` + salt(24) + `", 'a': b"x"} https://u:` + `p@h/ ` +
		"gh" + "p_" + salt(36) + "\n-----BEGIN PRIV" + "ATE KEY-----\n" + salt(64) + "\n" + salt(8) + "\n-----END PRIV" + "ATE KEY-----\n"
	for i := 0; i <= len(src); i++ {
		check(t, []byte(src[:i]))
		check(t, []byte(src[i:]))
	}
}

// TestLinear holds texts that make every look as long as it may be. A scan
// that is not linear does not come back from them within the test's time.
func TestLinear(t *testing.T) {
	const size = 2 << 20
	for _, unit := range []string{
		"token=", "password=\"", "password=", "-----BEGIN PRIVATE " + "KEY-----\n", "-----BEGIN PRIVATE " + "KEY-----abc \n",
		"-ey" + "J", "-sk-", "a:" + "//", "a://b:", ":AA", "'a',", "<a>", "password: ", "a b c = \"", "eyJ.", "=", "\\\"", "xoxb-",
	} {
		src := bytes.Repeat([]byte(unit), size/len(unit))
		if got, _ := Mask(src); len(got) != len(src) {
			t.Errorf("%q: %d bytes of %d", unit, len(got), len(src))
		}
	}
}

func FuzzMask(f *testing.F) {
	f.Add([]byte(`password = "hunt` + `er22" token: ` + salt(40)))
	f.Add([]byte("-----BEGIN PRIV" + "ATE KEY-----\n" + salt(64) + "\n-----END X"))
	f.Add([]byte("postgres://a:" + "b@c eyJ" + salt(12) + "." + salt(12) + "."))
	f.Add([]byte("gh" + "p_" + salt(36) + ";Password=" + salt(9) + ";"))
	f.Add([]byte(`<password>` + salt(9) + `</password> ("secret", "` + salt(20) + `")`))
	f.Fuzz(check)
}

// code is about what a source file is made of.
var code = []byte(strings.Repeat(`
// Handler answers a request: it looks the token up, and the user's name.
func (s *Server) handle_request(w http.ResponseWriter, r *http.Request) error {
	token := r.Header.Get("X-Session-Token")
	for i := 0; i < len(s.users); i++ {
		if s.users[i].token == token && !s.users[i].expired() {
			return writeJSON(w, map[string]any{"id": s.users[i].id, "name": "x"})
		}
	}
	return fmt.Errorf("handle %s: %w", r.URL.Path, ErrNoUser)
}
`, 2000))

func BenchmarkMaskCode(b *testing.B) {
	b.SetBytes(int64(len(code)))
	for b.Loop() {
		if _, n := Mask(code); n != 0 {
			b.Fatal(n)
		}
	}
}

func BenchmarkMaskProse(b *testing.B) {
	prose := []byte(strings.Repeat("The quick brown fox jumps over the lazy dog, again and again; nobody minds.\n", 4000))
	b.SetBytes(int64(len(prose)))
	for b.Loop() {
		Mask(prose)
	}
}
