// Certificates for tests: an authority, a server, a client, and a server whose certificate has expired.
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const EC = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
const NEW_KEY = ['req', '-x509', ...EC];

/** Paths of PEM files. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

export interface Certificates {
  readonly authority: Certificate;
  readonly server: Certificate;
  readonly client: Certificate;
}

/**
 * Makes them in this folder with openssl.
 * @param names of the server, as openssl takes them
 * @param days for which they are valid
 */
export async function makeCertificates(
  folder: string,
  names = 'DNS:temporal.test',
  days = 1,
): Promise<Certificates> {
  const make = async (name: string, more: readonly string[]): Promise<Certificate> => {
    const made = { cert: join(folder, `${name}.pem`), key: join(folder, `${name}.key`) };
    const files = ['-keyout', made.key, '-out', made.cert, '-days', String(days), '-subj', `/CN=${name}`];
    await run('openssl', [...NEW_KEY, ...files, ...more]);
    return made;
  };
  const authority = await make('authority', []);
  const leaf = [
    '-CA',
    authority.cert,
    '-CAkey',
    authority.key,
    '-addext',
    'basicConstraints=critical,CA:FALSE',
  ];
  const server = await make('server', [...leaf, '-addext', `subjectAltName=${names}`]);
  const client = await make('client', [...leaf, '-addext', 'subjectAltName=DNS:client.test']);
  return { authority, server, client };
}

/** A certificate of the authority that was valid on one day of 2020. */
export async function makeExpired(
  folder: string,
  authority: Certificate,
  names: string,
): Promise<Certificate> {
  const path = (name: string) => join(folder, name);
  const made = { cert: path('expired.pem'), key: path('expired.key') };
  await run('openssl', [
    'req',
    '-new',
    ...EC,
    '-keyout',
    made.key,
    '-out',
    path('expired.csr'),
    '-subj',
    '/CN=server',
  ]);
  await writeFile(path('index.txt'), '');
  await writeFile(
    path('ca.cnf'),
    `[ca]
default_ca = one
[one]
database = ${path('index.txt')}
new_certs_dir = ${folder}
rand_serial = yes
default_md = sha256
policy = any
x509_extensions = leaf
[any]
commonName = supplied
[leaf]
basicConstraints = critical,CA:FALSE
subjectAltName = ${names}
`,
  );
  const period = ['-startdate', '20200101000000Z', '-enddate', '20200102000000Z'];
  const files = [
    '-in',
    path('expired.csr'),
    '-out',
    made.cert,
    '-cert',
    authority.cert,
    '-keyfile',
    authority.key,
  ];
  await run('openssl', ['ca', '-batch', '-notext', '-config', path('ca.cnf'), ...period, ...files]);
  return made;
}
