// Refuses secrets that somebody could guess. Messages never contain a secret.

import { type ConfigProblem, SecretError } from '../../core/config/errors.ts';
import type { YamlFile } from '../../core/config/yaml-file.ts';
import { problemOfKey } from '../../core/encryption/payload-keys.ts';
import { isSignature } from '../../jobs/events/config.ts';
import { secretsOfChannel } from '../../observe/notices/config.ts';
import { type Config } from '../schema/config.ts';
import type { ResolvedSecret } from '../secrets.ts';
import { createSecretOwners, namesOfValue, ownedSecrets } from './check-shared-secrets.ts';

/** 128 bits, the minimum for HMAC-SHA256 and tokens. NIST SP 800-131A requires 112. */
const MIN_BYTES = 16;
/** Standard Webhooks 1.0 requires 24 to 64 bytes. */
const WEBHOOK_BYTES = { min: 24, max: 64 };
const PLACEHOLDER =
  /change[-_ ]?(?:me|this|it)|replace[-_ ]?(?:me|this)|placeholder|^<.*>$|^your[-_ ]|^\.{3,}$|^\*+$|^x+$/i;

const MAKE_ONE = 'make one with `openssl rand -base64 32`';
const MAKE_WEBHOOK = 'make one with `echo "whsec_$(openssl rand -base64 32)"`';

/** Parts of the configuration whose secrets are checked when it is loaded. */
export type SecretPart = 'accounts' | 'routes' | 'sinks' | 'notices' | 'temporal' | 'ledger';

interface Use {
  readonly at: readonly [SecretPart, ...(string | number)[]];
  readonly ref: string;
  /** The problem of a value, or null. */
  readonly judge: (value: string) => { readonly message: string; readonly hint: string } | null;
}

/**
 * @param resolve a missing secret is skipped here: the command that needs it reports it
 * @param parts a secret of another part is not read
 */
export async function checkStrength(
  main: YamlFile,
  config: Config,
  resolve: (ref: string) => Promise<ResolvedSecret>,
  parts?: readonly SecretPart[],
): Promise<ConfigProblem[]> {
  const problems: ConfigProblem[] = [];
  const owned = new Map(ownedSecrets(main).map((secret) => [JSON.stringify(secret.at), secret]));
  // Another check reports one reference for two purposes.
  const owners = createSecretOwners(main, (earlier, later) => earlier.ref === later.ref);
  for (const { at, ref, judge } of usesOf(config)) {
    if (parts?.includes(at[0]) === false) continue;
    const secret = await resolve(ref).catch((error: unknown) => {
      if (error instanceof SecretError) return null;
      throw error;
    });
    const own = owned.get(JSON.stringify(at));
    const shared = secret === null || own === undefined ? null : owners.add(own, namesOfValue(secret.value));
    if (shared !== null) problems.push(shared);
    const wrong = secret === null ? null : judge(secret.value);
    if (wrong !== null)
      problems.push(main.problemAt(at, `the secret behind ${ref} ${wrong.message}`, wrong.hint));
  }
  return problems;
}

function usesOf({ accounts, routes, sinks, notices, temporal, ledger }: Config): Use[] {
  return [
    ...Object.entries(accounts).flatMap(([name, { tokens }]) =>
      uses(['accounts', name, 'tokens'], tokens, judgeApiToken),
    ),
    ...Object.entries(routes).flatMap(([name, { http }]) => {
      if (http === undefined || http.auth.type === 'none') return [];
      const { auth } = http;
      const judge =
        auth.type === 'standard-webhooks' ? judgeWebhook : isSignature(auth) ? judgeHmac : judgeToken;
      return uses(['routes', name, 'http', 'auth', 'secrets'], auth.secrets, judge);
    }),
    ...Object.entries(sinks).flatMap(([name, sink]) =>
      sink.type === 'http' ? uses(['sinks', name, 'secrets'], sink.secrets, judgeWebhook) : [],
    ),
    ...Object.entries(notices).flatMap(([name, channel]) =>
      [...secretsOfChannel(channel)].map(
        ([key, ref]): Use => ({ at: ['notices', name, key], ref, judge: judgeNothing }),
      ),
    ),
    ...[temporal.apiKey ?? []]
      .flat()
      .map((ref): Use => ({ at: ['temporal', 'apiKey'], ref, judge: judgeNothing })),
    ...keyUses('temporal', temporal.encryption.keys),
    ...keyUses('ledger', ledger.encryption.keys),
  ];
}

function keyUses(part: 'temporal' | 'ledger', keys: readonly { readonly key: string }[]): Use[] {
  return keys.map(({ key }, index) => ({
    at: [part, 'encryption', 'keys', index, 'key'],
    ref: key,
    judge: judgeEncryptionKey,
  }));
}

function uses(at: Use['at'], refs: readonly string[], judge: Use['judge']): Use[] {
  return refs.map((ref, index) => ({ at: [...at, index], ref, judge }));
}

/** The service makes these tokens, so only values that can't be one are refused. */
const judgeApiToken: Use['judge'] = (value) =>
  value.startsWith('svc_') && !PLACEHOLDER.test(value)
    ? null
    : {
        message:
          'does not begin with svc_live_ or svc_test_, as tokens of the service do; Sluice uses it anyway',
        hint: 'copy the token from the service',
      };

/** Others choose or make them. */
const judgeNothing: Use['judge'] = () => null;

const judgeEncryptionKey: Use['judge'] = (value) => {
  const problem = problemOfKey(value);
  if (problem === null) return null;
  return { message: `${problem}, and a key needs 32 bytes as base64 or hex`, hint: MAKE_ONE };
};

const judgeToken: Use['judge'] = (value) => judgeLength(value, 'a token', MAKE_ONE);
const judgeHmac: Use['judge'] = (value) =>
  judgeLength(value, 'a key', `copy the key of the sender; if you choose it, ${MAKE_ONE}`);

function judgeLength(value: string, what: string, hint: string): ReturnType<Use['judge']> {
  if (PLACEHOLDER.test(value)) return { message: 'is a placeholder', hint };
  const bytes = Buffer.byteLength(value);
  if (bytes >= MIN_BYTES) return null;
  return { message: `has ${lengthOf(bytes)}, and ${what} needs at least ${MIN_BYTES}`, hint };
}

const judgeWebhook: Use['judge'] = (value) => {
  const text = value.replace(/^whsec_/, '');
  const isBase64 = /^[A-Za-z0-9+/]+={0,2}$/.test(text) && text.replace(/=+$/, '').length % 4 !== 1;
  if (!isBase64) return { message: 'is not base64, with or without whsec_ before it', hint: MAKE_WEBHOOK };
  const bytes = Buffer.from(text, 'base64').length;
  const { min, max } = WEBHOOK_BYTES;
  if (bytes >= min && bytes <= max) return null;
  return {
    message: `has ${lengthOf(bytes)}, and Standard Webhooks requires ${min} to ${max}`,
    hint: MAKE_WEBHOOK,
  };
};

const lengthOf = (bytes: number): string => (bytes === 1 ? '1 byte' : `${bytes} bytes`);
