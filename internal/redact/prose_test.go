package redact

import "testing"

func TestProse(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"Log in with password=hunter2Zq9 at last", "Log in with password=********** at last"},
		{"rotate (passwd: Tr0ub4dor, see wiki)\n", "rotate (passwd: *********, see wiki)\n"},
		{"client_secret=a1b2c3d4e5 and pwd=x9y8z7w6 gone", "client_secret=********** and pwd=******** gone"},
		{"token ghp_9aK2LmQ8sT4vXz7Bn1Cp5Rd3Fg6Hj0WeYuIo and password=hunter2Zq9", "token **************************************** and password=**********"},
	} {
		got, n := MaskProse([]byte(c.in))
		if string(got) != c.want || n == 0 {
			t.Errorf("%q: %q, %d", c.in, got, n)
		}
		if again, n := MaskProse(got); string(again) != c.want || n != 0 {
			t.Errorf("%q again: %q, %d", c.in, again, n)
		}
	}
	for _, in := range []string{
		"Second pass: step2 of 3", "password: say why it is wrong", "secret = load(x1)", "password=${PASS1}",
		"Fix password=None of v2", "", "=", "password=", "password:",
	} {
		if got, n := MaskProse([]byte(in)); n != 0 || string(got) != in {
			t.Errorf("%q: %q, %d", in, got, n)
		}
	}
}
