// Which kind of error a source that can't be read is for the operator API.
import type { ErrorKind } from '../core/endpoint.ts';

/** By code of a SourceError that no retry fixes. All others are failures. */
const KINDS: Readonly<Record<string, ErrorKind>> = {
  not_found: 'notFound',
  denied: 'forbidden',
  secret: 'forbidden',
  // The source exists, and its configuration is wrong.
  format: 'invalid',
  encoding: 'invalid',
  no_header: 'invalid',
  no_column: 'invalid',
  bad_config: 'invalid',
  bad_key: 'invalid',
};

/** @param code of a SourceError; without an error, none that a retry fixes */
export function kindOfSource(code: string, retryable = false): ErrorKind {
  return retryable ? 'unavailable' : (KINDS[code] ?? 'failed');
}
