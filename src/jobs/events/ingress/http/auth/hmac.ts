// Checks an HMAC of the raw body in a header. The styles of known senders are rows of one table. HubSpot's version 3
// also signs method, address and time.
import { createHmac } from 'node:crypto';
import { type Authenticator, type Claim, type Purpose, SecretError } from './claim.ts';
import { anyEqual } from './compare.ts';
import { isFresh } from './timestamp.ts';

interface Signature {
  readonly header: string;
  readonly encoding: 'hex' | 'base64';
  readonly prefix: string;
  readonly algorithm: 'sha256' | 'sha1' | 'sha512';
}

const STYLES = {
  plain: { header: 'X-Signature', encoding: 'hex', prefix: '', algorithm: 'sha256' },
  github: { header: 'X-Hub-Signature-256', encoding: 'hex', prefix: 'sha256=', algorithm: 'sha256' },
  shopify: { header: 'X-Shopify-Hmac-Sha256', encoding: 'base64', prefix: '', algorithm: 'sha256' },
  hubspot: { header: 'X-HubSpot-Signature-v3', encoding: 'base64', prefix: '', algorithm: 'sha256' },
} as const satisfies Record<string, Signature>;

export const HUBSPOT_TIMESTAMP = 'X-HubSpot-Request-Timestamp';
/** The tolerance that HubSpot's documentation requires. */
const HUBSPOT_TOLERANCE_MS = 300_000;

/**
 * Precedes the bytes of a file in what is signed, so that neither passes for the other: no JSON begins like this.
 * HubSpot's signature covers the address, which differs.
 */
const FILE_PREFIX = 'sluice-file\n';

const isForFile = (body: Uint8Array): boolean =>
  Buffer.from(body.subarray(0, FILE_PREFIX.length)).toString('latin1') === FILE_PREFIX;

export interface HmacOptions {
  readonly purpose: Purpose;
  readonly style: keyof typeof STYLES;
  /** Accepted secrets. Any of them may have signed. */
  readonly secrets: readonly string[];
  /** Overrides of the style. */
  readonly overrides?: { readonly [Key in keyof Signature]?: Signature[Key] | undefined };
  readonly now: () => number;
}

/** Returns the signature settings of a style after overrides. */
export function signatureOf({ style, overrides = {} }: Pick<HmacOptions, 'style' | 'overrides'>): Signature {
  const preset = STYLES[style];
  return {
    header: overrides.header ?? preset.header,
    encoding: overrides.encoding ?? preset.encoding,
    prefix: overrides.prefix ?? preset.prefix,
    algorithm: overrides.algorithm ?? preset.algorithm,
  };
}

/** @throws SecretError for an empty secret */
export function hmac(options: HmacOptions): Authenticator {
  const { style, secrets, now, purpose } = options;
  const empty = secrets.indexOf('');
  if (empty >= 0) throw new SecretError(`secret ${empty + 1} is empty; anybody could sign with it`);
  const { header, encoding, prefix, algorithm } = signatureOf(options);
  const given = (claim: Claim): string | null => {
    const value = claim.header(header);
    if (value === null || !value.startsWith(prefix)) return null;
    const text = value.slice(prefix.length);
    // Some senders write hexadecimal in upper case.
    return encoding === 'hex' ? text.toLowerCase() : text;
  };
  const fresh = (claim: Claim): boolean =>
    style !== 'hubspot' || isFresh(claim.header(HUBSPOT_TIMESTAMP), 1, HUBSPOT_TOLERANCE_MS, now());
  return {
    status: 401,
    byHeaders: false,
    plausible: (claim) => given(claim) !== null && fresh(claim),
    proves(claim, body) {
      const isBound = style === 'hubspot';
      if (!isBound && purpose === 'event' && isForFile(body)) return false;
      const [before, after] = isBound
        ? [claim.method + hubspotUri(claim.uri), claim.header(HUBSPOT_TIMESTAMP) ?? '']
        : [purpose === 'file' ? FILE_PREFIX : '', ''];
      const made = secrets.map((secret) =>
        createHmac(algorithm, secret).update(before, 'latin1').update(body).update(after).digest(encoding),
      );
      return anyEqual([given(claim) ?? ''], made);
    },
  };
}

// The table of HubSpot's documentation: these are decoded, all others are not.
const HUBSPOT_DECODES = /%(?:3A|2F|3F|40|21|24|27|28|29|2A|2C|3B)/gi;

/** Returns the address in the form that HubSpot signs. */
export function hubspotUri(uri: string): string {
  return uri.replace(HUBSPOT_DECODES, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
}
