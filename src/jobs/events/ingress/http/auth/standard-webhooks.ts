// Signatures of the Standard Webhooks specification 1.0: HMAC-SHA256 over `{id}.{timestamp}.{body}`.
import { createHmac } from 'node:crypto';
import { type Authenticator, type Claim, type Purpose, SecretError } from './claim.ts';
import { anyEqual } from './compare.ts';
import { isFresh } from './timestamp.ts';

/** Maximum number of signatures checked per header. Each costs comparisons. */
const MAX_SIGNATURES = 20;

/** Begins the signed id of a file, and of no event. */
const FILE_ID = 'file_';

export interface StandardWebhooksOptions {
  readonly purpose: Purpose;
  /** `whsec_` plus base64, or base64 alone. Any of them may have signed, which allows rotation. */
  readonly secrets: readonly string[];
  readonly toleranceMs: number;
  readonly now: () => number;
}

/** @throws SecretError for a secret that is not base64 */
export function standardWebhooks({
  purpose,
  secrets,
  toleranceMs,
  now,
}: StandardWebhooksOptions): Authenticator {
  const keys = secrets.map(readKey);
  return {
    status: 401,
    byHeaders: false,
    plausible: (claim) =>
      isFor(purpose, claim.header('webhook-id')) &&
      signaturesOf(claim).length > 0 &&
      isFresh(claim.header('webhook-timestamp'), 1000, toleranceMs, now()),
    proves(claim, body) {
      const head = `${claim.header('webhook-id')}.${claim.header('webhook-timestamp')}.`;
      const made = keys.map((key) =>
        createHmac('sha256', key).update(head, 'latin1').update(body).digest('base64'),
      );
      return anyEqual(signaturesOf(claim), made);
    },
  };
}

const isFor = (purpose: Purpose, id: string | null): boolean =>
  id !== null && id.startsWith(FILE_ID) === (purpose === 'file');

// Entries of other versions (`v1a` is asymmetric) are skipped.
function signaturesOf(claim: Claim): string[] {
  return (claim.header('webhook-signature') ?? '')
    .split(' ', MAX_SIGNATURES)
    .filter((entry) => entry.startsWith('v1,'))
    .map((entry) => entry.slice('v1,'.length));
}

function readKey(secret: string, index: number): Buffer {
  const text = secret.startsWith('whsec_') ? secret.slice('whsec_'.length) : secret;
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text) || text.replace(/=+$/, '').length % 4 === 1) {
    throw new SecretError(
      `secret ${index + 1} is not base64, with or without the prefix "whsec_"; copy it from the sender unchanged`,
    );
  }
  return Buffer.from(text, 'base64');
}
