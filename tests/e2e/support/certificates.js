// A certificate authority for tests and what it signs, by the openssl program: true certificates, and those that lie.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const config = (folder) => `
[ca]
default_ca = own
[own]
database = ${folder}/index.txt
new_certs_dir = ${folder}
rand_serial = yes
default_md = sha256
policy = any
copy_extensions = copy
unique_subject = no
x509_extensions = leaf
[any]
commonName = supplied
[leaf]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
[req]
distinguished_name = name
[name]
`;

const stamp = (days) => new Date(Date.now() + days * 86_400_000).toISOString().replace(/[-:T]|\.\d+/g, '');  // YYYYMMDDHHMMSSZ

export class Certificates {
  constructor(commonName = 'Tests of egress') {
    this.folder = mkdtempSync(join(tmpdir(), 'viv-certificates-'));
    writeFileSync(join(this.folder, 'config'), config(this.folder));
    writeFileSync(join(this.folder, 'index.txt'), '');
    this.file = join(this.folder, 'ca.pem');  // the authority's certificate
    this.made = 0;
    this.openssl('req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', 'ca.key', '-out', 'ca.pem', '-days', '30',
      '-subj', `/CN=${commonName}`, '-addext', 'basicConstraints=critical,CA:TRUE', '-addext', 'keyUsage=critical,keyCertSign,cRLSign');
    this.pem = readFileSync(this.file, 'utf8');
  }

  openssl(...args) {
    return execFileSync('openssl', args, { cwd: this.folder, stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, OPENSSL_CONF: join(this.folder, 'config') } });
  }

  /** {key, cert} in PEM and as files, for these names; valid from and until so many days from now. */
  sign(names, { from = -1, until = 20 } = {}) {
    const name = `leaf${++this.made}`;
    const [key, request, cert] = ['key', 'csr', 'pem'].map((end) => `${name}.${end}`);
    this.openssl('req', '-new', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', key, '-out', request,
      '-subj', `/CN=${names[0]}`, '-addext', `subjectAltName=${names.map((one) => `DNS:${one}`).join(',')}`);
    this.openssl('ca', '-batch', '-notext', '-config', 'config', '-cert', 'ca.pem', '-keyfile', 'ca.key', '-in', request, '-out', cert,
      '-startdate', stamp(from), '-enddate', stamp(until));
    return this.read(key, cert);
  }

  /** A certificate that vouches for itself. */
  selfSigned(names) {
    const name = `self${++this.made}`;
    this.openssl('req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', `${name}.key`, '-out', `${name}.pem`, '-days', '20',
      '-subj', `/CN=${names[0]}`, '-addext', `subjectAltName=${names.map((one) => `DNS:${one}`).join(',')}`);
    return this.read(`${name}.key`, `${name}.pem`);
  }

  read(key, cert) {
    const [keyFile, certFile] = [key, cert].map((file) => join(this.folder, file));
    return { key: readFileSync(keyFile, 'utf8'), cert: readFileSync(certFile, 'utf8'), keyFile, certFile };
  }

  remove() {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
