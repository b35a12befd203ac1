// Resolves the secrets of a source when a read needs them, and keeps them nowhere.
import { SourceError } from '../../core/source.ts';

/** Resolves `env:NAME` or `file:path`. */
export type SecretOf = (ref: string) => Promise<string>;

/** @throws SourceError `secret` with the resolver's message, which names the reference only */
export async function resolveSecret(ref: string, secret: SecretOf, place: string): Promise<string> {
  try {
    return await secret(ref);
  } catch (error) {
    throw new SourceError('secret', `source ${place}: ${(error as Error).message}`, { cause: error });
  }
}
