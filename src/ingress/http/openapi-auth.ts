// How the OpenAPI document tells what a sender has to prove: a security scheme, and the headers beside it.
import type { RouteAuth } from '../../contracts/config/config.ts';
import { HUBSPOT_TIMESTAMP, signatureOf } from './auth/hmac.ts';
import { isBearer } from './auth/token.ts';

export interface DescribedAuth {
  /** Null: nothing is proved. */
  readonly scheme: object | null;
  /** What else has to be sent along. */
  readonly headers: readonly { readonly name: string; readonly description: string }[];
  /** A sentence for people. */
  readonly text: string;
}

export function describeAuth(auth: RouteAuth): DescribedAuth {
  const header = (name: string, description: string) => ({ type: 'apiKey', in: 'header', name, description });
  switch (auth.type) {
    case 'standard-webhooks':
      return {
        scheme: header(
          'webhook-signature',
          'Standard Webhooks 1.0: `v1,` and the base64 of HMAC-SHA256 over `{webhook-id}.{webhook-timestamp}.{body}`; several, separated by spaces, while a secret is replaced',
        ),
        headers: [
          {
            name: 'webhook-id',
            description: 'Of the message, and the key of the event: the same at each repetition',
          },
          {
            name: 'webhook-timestamp',
            description: `Seconds since 1970, at most ${auth.tolerance} from the time of this server`,
          },
        ],
        text: 'Signed as Standard Webhooks has it.',
      };
    case 'hmac': {
      const {
        header: name,
        encoding,
        prefix,
        algorithm,
      } = signatureOf({ style: auth.style, overrides: auth });
      const covers = auth.style === 'hubspot' ? 'method, address, raw body and time' : 'the raw body';
      const before = prefix === '' ? '' : `\`${prefix}\` and `;
      return {
        scheme: header(name, `${before}HMAC (${algorithm}) over ${covers}, in ${encoding}`),
        headers:
          auth.style === 'hubspot'
            ? [{ name: HUBSPOT_TIMESTAMP, description: 'Milliseconds since 1970, at most 5 minutes old' }]
            : [],
        text: `Signed with an HMAC over ${covers}.`,
      };
    }
    case 'token':
      return {
        scheme: isBearer(auth.header)
          ? { type: 'http', scheme: 'bearer' }
          : header(auth.header, 'A shared token'),
        headers: [],
        text: 'Sent along with a shared token.',
      };
    case 'none':
      return { scheme: null, headers: [], text: 'Taken from senders on the same machine only.' };
  }
}
