package facts

import (
	"path"
	"strings"
)

// secretNames are whole base names (lower case) of files made to hold
// secrets. Names that often hold none (config.json, settings.py) are left to
// redaction.
var secretNames = map[string]bool{
	"id_rsa": true, "id_dsa": true, "id_ecdsa": true, "id_ed25519": true, "id_ecdsa_sk": true, "id_ed25519_sk": true, "identity": true,
	".netrc": true, "_netrc": true, ".pgpass": true, ".my.cnf": true, ".mylogin.cnf": true, ".htpasswd": true, ".pypirc": true,
	".npmrc": true, ".yarnrc.yml.local": true, ".dockercfg": true, ".dockerconfigjson": true, ".git-credentials": true, ".s3cfg": true, ".boto": true,
	"credentials": true, "credentials.json": true, "credentials.csv": true, "client_secret.json": true, "client_secrets.json": true,
	"service-account.json": true, "service_account.json": true, "serviceaccount.json": true, "google-credentials.json": true, "gcp-credentials.json": true,
	"application_default_credentials.json": true, "secrets.json": true, "secrets.yml": true, "secrets.yaml": true, "secrets.toml": true, "secrets.env": true, "secret.env": true,
	"secret.json": true, "secret.yml": true, "secret.yaml": true, "secrets.txt": true, "secrets.ini": true, "secrets.xml": true,
	"kubeconfig": true, "master.key": true, "vault.yml": true, "vault.yaml": true, ".vault_pass": true, ".vault_pass.txt": true, ".vault-token": true, "vault_pass.txt": true,
	"terraform.tfstate": true, "terraform.tfstate.backup": true, "terraform.tfvars": true, ".terraformrc": true, "terraform.rc": true,
	"shadow": true, "passwd": true, ".passwd": true, "passwords.txt": true, "password.txt": true, ".cargo-credentials": true, ".gem-credentials": true,
	"wp-config.php": true, "auth.json": true, "local.settings.json": true, "token.txt": true, ".token": true, "token.json": true,
	".ftpconfig": true, ".remote-sync.json": true, "sftp-config.json": true, ".esmtprc": true, ".msmtprc": true, ".fetchmailrc": true, ".muttrc": true,
	"google-services.json": true, "googleservice-info.plist": true, ".bash_history": true, ".zsh_history": true, ".psql_history": true, ".mysql_history": true, ".irb_history": true,
	"key.properties": true, "keystore.properties": true, ".credentials": true, ".secrets": true,
}

// secretExtensions are of key stores and private keys. "key" also covers
// Keynote documents, which are binary anyway.
var secretExtensions = map[string]bool{
	"pem": true, "key": true, "p12": true, "pfx": true, "p8": true, "pkcs12": true, "keystore": true, "jks": true, "jceks": true, "bks": true, "ppk": true,
	"kdb": true, "kdbx": true, "psafe3": true, "asc-key": true, "gpg": true, "pgp": true, "ovpn": true, "keychain": true, "agilekeychain": true,
	"keytab": true, "mobileprovision": true, "tfstate": true, "rdp": true, "snk": true, "pvk": true, "htpasswd": true, "cred": true, "creds": true, "netrc": true,
}

// sampleWords mark the copies that are made to be read: .env.example.
var sampleWords = []string{"example", "sample", "template", "dist", "tmpl", "tpl", "defaults", "default", "schema", "stub", "skeleton", "md", "rst", "go", "py", "rb", "js", "ts", "java", "rs", "d", "php", "kt", "swift", "ex", "exs", "cs"}

// SecretName reports whether a path is that of a file made to hold secrets.
// Such blobs are never opened. When in doubt about a key store or a dotenv
// file it says yes; copies named .example, .sample, .template or .dist are
// not secrets.
func SecretName(p string) bool {
	p = strings.ToLower(p)
	base := path.Base(p)
	ext := strings.TrimPrefix(path.Ext(base), ".")
	for _, w := range sampleWords {
		if ext == w {
			return w == "php" && base == "wp-config.php"
		}
	}
	if strings.HasPrefix(base, ".env") && (len(base) == 4 || strings.ContainsRune(".-_", rune(base[4]))) {
		return !sampled(base)
	}
	if ext == "env" && !sampled(base) {
		return true
	}
	if secretNames[base] {
		// A folder of the name a program gives its state is not needed: the
		// name alone is enough, but /etc/passwd-like names only without code.
		return true
	}
	if secretExtensions[ext] && base != "."+ext && !sampled(base) {
		return true
	}
	dir := path.Dir(p)
	last := path.Base(dir)
	switch {
	case last == ".ssh" && !strings.HasSuffix(base, ".pub") && base != "config" && base != "known_hosts":
		return true
	case last == ".aws" && base == "config", last == ".kube" && base == "config", last == ".docker" && base == "config.json":
		return true
	case last == ".gnupg":
		return true
	case strings.HasPrefix(base, "service-account") && ext == "json", strings.HasPrefix(base, "client_secret") && ext == "json":
		return true
	case strings.HasSuffix(base, "_rsa") || strings.HasSuffix(base, "_dsa") || strings.HasSuffix(base, "_ed25519") || strings.HasSuffix(base, "_ecdsa"):
		return true
	case ext == "tfvars" && !sampled(base):
		return true
	}
	return false
}

// sampled reports whether a word of a base name says that it is a sample.
func sampled(base string) bool {
	for w := range strings.FieldsFuncSeq(base, func(r rune) bool { return r == '.' || r == '-' || r == '_' }) {
		switch w {
		case "example", "sample", "template", "dist", "tmpl", "tpl", "defaults", "schema", "stub":
			return true
		}
	}
	return false
}
