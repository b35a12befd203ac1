// Describes in the OpenAPI document how a sender authenticates: a security scheme, and the headers beside it.
import type { RouteAuth } from '../../config.ts';
import { HUBSPOT_TIMESTAMP, signatureOf } from './auth/hmac.ts';
import { isBearer } from './auth/token.ts';

export interface DescribedAuth {
  /** Null: no authentication. */
  readonly scheme: object | null;
  /** Further headers that the sender must send. */
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
          'Standard Webhooks 1.0: `v1,` and the base64 of HMAC-SHA256 over `{webhook-id}.{webhook-timestamp}.{body}`; while you rotate a secret, several signatures separated by spaces',
        ),
        headers: [
          {
            name: 'webhook-id',
            description: 'Id of the message and key of the event, the same in each redelivery',
          },
          {
            name: 'webhook-timestamp',
            description: `Time in seconds since 1970, at most ${auth.tolerance} away from the time of this server`,
          },
        ],
        text: 'Signed according to Standard Webhooks.',
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
      return { scheme: null, headers: [], text: 'Accepts senders on the same machine only.' };
  }
}
