// Certificates for tests: an authority, a server, a client, and a server whose certificate has expired.
// The library's container of dependencies needs it.
// oxlint-disable-next-line import/no-unassigned-import
import 'reflect-metadata';
import { randomBytes, webcrypto } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  type Extension,
  type GeneralNameType,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';

const CURVE = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const SIGNING = { name: 'ECDSA', hash: 'SHA-256' } as const;
const DAY_MS = 86_400_000;

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
 * Makes them in this folder.
 * @param names of the server, as openssl takes them: `DNS:localhost,IP:127.0.0.1`
 * @param days for which they are valid
 */
export async function makeCertificates(
  folder: string,
  names = 'DNS:temporal.test',
  days = 1,
): Promise<Certificates> {
  await mkdir(folder, { recursive: true });
  const from = new Date(Date.now() - 60_000);
  const period = { notBefore: from, notAfter: new Date(from.getTime() + days * DAY_MS) };
  const authority = await make(folder, 'authority', period, [new BasicConstraintsExtension(true, 0, true)]);
  const server = await make(folder, 'server', period, leaf(names), authority);
  const client = await make(folder, 'client', period, leaf('DNS:client.test'), authority);
  return { authority, server, client };
}

/** A certificate of the authority that was valid on one day of 2020. */
export async function makeExpired(
  folder: string,
  authority: Certificate,
  names: string,
): Promise<Certificate> {
  const period = { notBefore: new Date('2020-01-01T00:00:00Z'), notAfter: new Date('2020-01-02T00:00:00Z') };
  return await make(folder, 'expired', period, leaf(names), authority);
}

interface Period {
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/** @param authority without one, it signs itself */
async function make(
  folder: string,
  name: string,
  period: Period,
  extensions: Extension[],
  authority?: Certificate,
): Promise<Certificate> {
  const keys = await webcrypto.subtle.generateKey(CURVE, true, ['sign', 'verify']);
  const issuer = authority === undefined ? null : new X509Certificate(await readFile(authority.cert, 'utf8'));
  const common = {
    ...period,
    serialNumber: randomBytes(16).toString('hex'),
    signingAlgorithm: SIGNING,
    // Without them a verifier tries authorities of the same name, and fails at the signature.
    extensions: [
      ...extensions,
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
      await AuthorityKeyIdentifierExtension.create(issuer?.publicKey ?? keys.publicKey),
    ],
  };
  const made =
    issuer === null || authority === undefined
      ? await X509CertificateGenerator.createSelfSigned({ ...common, name: `CN=${name}`, keys })
      : await X509CertificateGenerator.create({
          ...common,
          subject: `CN=${name}`,
          issuer: issuer.subject,
          publicKey: keys.publicKey,
          signingKey: await readKey(authority.key),
        });
  const paths = { cert: join(folder, `${name}.pem`), key: join(folder, `${name}.key`) };
  const key = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  await writeFile(paths.cert, `${made.toString('pem')}\n`);
  await writeFile(paths.key, `${PemConverter.encode(key, 'PRIVATE KEY')}\n`, { mode: 0o600 });
  return paths;
}

async function readKey(path: string): Promise<webcrypto.CryptoKey> {
  const pem = await readFile(path, 'utf8');
  return await webcrypto.subtle.importKey('pkcs8', PemConverter.decodeFirst(pem), CURVE, false, ['sign']);
}

function leaf(names: string): Extension[] {
  const alternatives = names.split(',').map((name) => {
    const [type = '', value = ''] = name.trim().split(/:(.*)/s);
    return { type: type.toLowerCase() as GeneralNameType, value };
  });
  return [
    new BasicConstraintsExtension(false, undefined, true),
    new SubjectAlternativeNameExtension(alternatives),
  ];
}
