// Refuses secrets that somebody could guess. Messages never contain a secret.
import { problemOfKey } from '../../codec/keys.ts';
import { type Config, isSignature } from '../../contracts/config/config.ts';
import { type ConfigProblem, SecretError } from '../errors.ts';
import type { ResolvedSecret } from '../secrets.ts';
import type { YamlFile } from '../yaml-file.ts';
import { isShared, proofOf, type SecretOwner, sharedSecret } from './check-routes.ts';

/** 128 bits, the minimum for HMAC-SHA256 and tokens. NIST SP 800-131A requires 112. */
const MIN_BYTES = 16;
/** Standard Webhooks 1.0 requires 24 to 64 bytes. */
const WEBHOOK_BYTES = { min: 24, max: 64 };
const PLACEHOLDER =
  /change[-_ ]?(?:me|this|it)|replace[-_ ]?(?:me|this)|placeholder|^<.*>$|^your[-_ ]|^\.{3,}$|^\*+$|^x+$/i;

const MAKE_ONE = 'make one with `openssl rand -base64 32`';
const MAKE_WEBHOOK = 'make one with `echo "whsec_$(openssl rand -base64 32)"`';

/** Parts of the configuration whose secrets are checked when it is loaded. */
export type SecretPart = 'accounts' | 'routes' | 'sinks' | 'temporal' | 'ledger';

interface Use {
  readonly at: readonly [SecretPart, ...(string | number)[]];
  readonly ref: string;
  readonly owner?: SecretOwner;
  /** Bytes of the key in hex: one key can be written in several ways. */
  readonly keyOf?: (value: string) => string;
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
  const owners = new Map<string, { readonly ref: string; readonly owner: SecretOwner }>();
  for (const { at, ref, judge, owner, keyOf = hexOf } of usesOf(config)) {
    if (parts?.includes(at[0]) === false) continue;
    const secret = await resolve(ref).catch((error: unknown) => {
      if (error instanceof SecretError) return null;
      throw error;
    });
    if (secret !== null && owner !== undefined) {
      const keys = [keyOf(secret.value), hexOf(secret.value)];
      const first = keys.map((key) => owners.get(key)).find((known) => known !== undefined);
      for (const key of keys) if (!owners.has(key)) owners.set(key, { ref, owner });
      // Another check names the same reference.
      if (first !== undefined && first.ref !== ref && isShared(first.owner, owner))
        problems.push(main.problemAt(at, ...sharedSecret(first.owner, owner)));
    }
    const wrong = secret === null ? null : judge(secret.value);
    if (wrong !== null)
      problems.push(main.problemAt(at, `the secret behind ${ref} ${wrong.message}`, wrong.hint));
  }
  return problems;
}

function usesOf({ accounts, routes, sinks, temporal, ledger }: Config): Use[] {
  return [
    ...Object.entries(accounts).flatMap(([name, { tokens }]) =>
      uses(['accounts', name, 'tokens'], tokens, judgeApiToken),
    ),
    ...Object.entries(routes).flatMap(([name, { http }]) => {
      if (http === undefined || http.auth.type === 'none') return [];
      const { auth } = http;
      const judge =
        auth.type === 'standard-webhooks' ? judgeWebhook : isSignature(auth) ? judgeHmac : judgeToken;
      const all = uses(['routes', name, 'http', 'auth', 'secrets'], auth.secrets, judge);
      const proof = proofOf(auth.type, auth.type === 'hmac' ? auth.style : undefined);
      if (proof === null) return all;
      const keyOf = auth.type === 'standard-webhooks' ? hexOfWebhookKey : hexOf;
      return all.map((use) => Object.assign(use, { owner: { route: name, proof }, keyOf }));
    }),
    ...Object.entries(sinks).flatMap(([name, sink]) =>
      sink.type === 'http' ? uses(['sinks', name, 'secrets'], sink.secrets, judgeWebhook) : [],
    ),
    ...keyUses('temporal', temporal.encryption.keys),
    ...keyUses('ledger', ledger.encryption.keys),
  ];
}

const hexOf = (text: string) => Buffer.from(text).toString('hex');
const hexOfWebhookKey = (text: string) => Buffer.from(text.replace(/^whsec_/, ''), 'base64').toString('hex');

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
