// One secret has one purpose: whoever has it for one could use it for the other. Messages never contain a secret.
import { SecretRef } from '../../core/config/base.ts';
import type { ConfigProblem } from '../../core/config/errors.ts';
import { child, entriesOf } from '../../core/config/raw.ts';
import type { YamlFile } from '../../core/config/yaml-file.ts';

type Path = readonly (string | number)[];

/** What a secret proves or opens. */
type Power =
  /** Signs requests that fit every route with the secret. */
  | 'signature'
  /** Signs requests that name their route, as HubSpot's do. */
  | 'own signature'
  /** Is sent along, so every request shows it. */
  | 'token'
  /** Signs what Sluice sends to the receivers of a sink. */
  | 'sink'
  /** Proves to the receiver of notices who sends them, or is the address that takes them. */
  | 'notices'
  /** Calls the service. */
  | 'account'
  /** Calls Temporal. */
  | 'temporal'
  /** Decrypts what Temporal or the ledger stores. */
  | 'key';

export interface SecretOwner {
  readonly power: Power;
  /** As in a message: `the route "paid"`. */
  readonly what: string;
}

export interface OwnedSecret {
  readonly at: Path;
  readonly ref: string;
  readonly owner: SecretOwner;
}

const ROUTE_POWERS: ReadonlySet<Power> = new Set(['signature', 'own signature', 'token']);
const HINT = 'give each purpose a secret of its own';

/** All secrets that are compared, in the order in which they are reported: the later one is the problem. */
export function ownedSecrets(main: YamlFile): OwnedSecret[] {
  return [
    ...entriesOf(main, 'accounts').flatMap(([name, account]) =>
      each(['accounts', name, 'tokens'], child(account, 'tokens'), {
        power: 'account',
        what: `the account "${name}"`,
      }),
    ),
    ...entriesOf(main, 'routes').flatMap(([name, route]) => {
      const auth = child(child(route, 'http'), 'auth');
      const power = powerOf(child(auth, 'type'), child(auth, 'style'));
      if (power === null) return [];
      const at = ['routes', name, 'http', 'auth', 'secrets'];
      return each(at, child(auth, 'secrets'), { power, what: `the route "${name}"` });
    }),
    ...entriesOf(main, 'sinks').flatMap(([name, sink]) =>
      child(sink, 'type') === 'http'
        ? each(['sinks', name, 'secrets'], child(sink, 'secrets'), {
            power: 'sink',
            what: `the sink "${name}"`,
          })
        : [],
    ),
    ...entriesOf(main, 'notices').flatMap(([name, channel]) =>
      ['url', 'token', 'password'].flatMap((key) => {
        const ref = child(channel, key);
        const owner = { power: 'notices', what: `the channel "${name}" of notices` } as const;
        return SecretRef.safeParse(ref).success
          ? [{ at: ['notices', name, key], ref: ref as string, owner }]
          : [];
      }),
    ),
    ...owned(['temporal', 'apiKey'], child(child(main.value, 'temporal'), 'apiKey'), {
      power: 'temporal',
      what: 'temporal.apiKey',
    }),
    ...['temporal', 'ledger'].flatMap((part) => {
      const keys = child(child(child(main.value, part), 'encryption'), 'keys');
      return (Array.isArray(keys) ? keys : []).flatMap((entry: unknown, index) => {
        const ref = child(entry, 'key');
        const owner = { power: 'key', what: `${part}.encryption` } as const;
        return owned([part, 'encryption', 'keys', index, 'key'], ref, owner);
      });
    }),
  ];
}

function owned(at: Path, ref: unknown, owner: SecretOwner): OwnedSecret[] {
  return typeof ref === 'string' ? [{ at, ref, owner }] : [];
}

function each(at: Path, refs: unknown, owner: SecretOwner): OwnedSecret[] {
  return (Array.isArray(refs) ? refs : []).flatMap((ref: unknown, index) =>
    owned([...at, index], ref, owner),
  );
}

function powerOf(type: unknown, style: unknown): Power | null {
  if (type === 'token') return 'token';
  if (type === 'standard-webhooks') return 'signature';
  if (type !== 'hmac') return null;
  return style === 'hubspot' ? 'own signature' : 'signature';
}

/** Remembers who has a secret, under all texts by which somebody could know it. */
export interface SecretOwners {
  /** @returns the problem with an owner before this one */
  add(secret: OwnedSecret, names: readonly string[]): ConfigProblem | null;
}

/** @param skips an earlier secret that another comparison reports */
export function createSecretOwners(
  main: YamlFile,
  skips: (earlier: OwnedSecret, later: OwnedSecret) => boolean = () => false,
): SecretOwners {
  const known = new Map<string, OwnedSecret[]>();
  return {
    add(secret, names) {
      const before = names.flatMap((name) => known.get(name) ?? []);
      for (const name of names) known.set(name, [...(known.get(name) ?? []), secret]);
      for (const earlier of before) {
        const risk = skips(earlier, secret) ? null : riskOf(earlier.owner, secret.owner);
        if (risk !== null)
          return main.problemAt(secret.at, `${earlier.owner.what} has this secret too, so ${risk}`, HINT);
      }
      return null;
    },
  };
}

/** Refuses one reference for two purposes, whether or not its value can be read. */
export function checkSharedSecrets(main: YamlFile): ConfigProblem[] {
  const owners = createSecretOwners(main);
  return ownedSecrets(main).flatMap((secret) => owners.add(secret, [secret.ref]) ?? []);
}

/** Null: both may have the secret. Two accounts, two sinks, two channels and two routes with one token have the same partners. */
function riskOf(one: SecretOwner, other: SecretOwner): string | null {
  if (one.what === other.what) return null;
  const powers = [one.power, other.power];
  if (ROUTE_POWERS.has(one.power) && ROUTE_POWERS.has(other.power)) {
    const tokens = powers.filter((power) => power === 'token').length;
    if (tokens === 1) return 'whoever sees the token of one could sign requests to the other';
    // A signature that names its route fits no other one.
    return one.power === 'signature' && other.power === 'signature'
      ? 'a request that was signed for it would be accepted here'
      : null;
  }
  if (one.power === other.power) return null;
  if (powers.includes('key')) return 'whoever has it for the other purpose could decrypt what is stored';
  if (powers.includes('account')) return 'whoever has it for the other purpose could call the service';
  if (powers.includes('temporal')) return 'whoever has it for the other purpose could start workflows';
  if (powers.includes('notices')) return 'the receiver of notices could use it for the other purpose';
  return 'what is signed for the receivers of the sink would be accepted by the route, or the reverse';
}

/** Of what a text may decode to. Fewer bytes are equal by chance. */
const MIN_DECODED = 8;

/**
 * All byte strings by which a value can be known: as it is, and decoded if it looks like hex or base64, with or without
 * `whsec_`. In hex, so that one key in two notations has one of them in common.
 */
export function namesOfValue(value: string): string[] {
  const text = value.trim().replace(/^whsec_/, '');
  const decoded = [
    /^(?:[0-9a-f]{2})+$/i.test(text) ? Buffer.from(text, 'hex') : null,
    /^[A-Za-z0-9+/_-]+={0,2}$/.test(text) ? Buffer.from(text, 'base64') : null,
  ].filter((bytes) => bytes !== null && bytes.length >= MIN_DECODED);
  const all = [Buffer.from(value), Buffer.from(text), ...decoded];
  return [...new Set(all.flatMap((bytes) => bytes?.toString('hex') ?? []))];
}
