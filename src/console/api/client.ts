// The typed client of the operator API over fetch. The login is the session cookie, which scripts cannot read; commands
// also carry the CSRF token of the session.

import {
  createClient,
  FIELDS_HEADER,
  type OperatorClient,
  type Transport,
} from '../../operator/client/client.ts';
import type { Input, Output, Route } from '../../operator/contract/index.ts';
import { OperatorError } from '../../operator/error.ts';

export type { Input, Output, Route };

/** @param csrf the token of the session as it is now; null before the login */
export function browserClient(csrf: () => string | null): OperatorClient {
  const transport: Transport = async ({ method, path, body, contentType, fields }, { signal }) => {
    const headers = new Headers({ accept: 'application/json' });
    const token = csrf();
    if (method !== 'GET' && token !== null) headers.set('x-csrf-token', token);
    if (contentType !== null) headers.set('content-type', contentType);
    if (fields !== null) headers.set(FIELDS_HEADER, fields);
    try {
      const response = await fetch(path, {
        method,
        headers,
        body: body as BodyInit | null,
        credentials: 'same-origin',
        signal: signal ?? null,
      });
      return { status: response.status, text: await response.text() };
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new OperatorError('unavailable', 'no answer came from the server', {
        code: 'NOT_CONNECTED',
        cause: error,
      });
    }
  };
  return createClient(transport);
}
