// Secrets of a source: resolved when a read needs them, kept nowhere.
import { SourceError } from '../contracts/wire/source.ts';

/** What `env:NAME` or `file:path` stands for. */
export type SecretOf = (ref: string) => Promise<string>;

/** @throws SourceError `secret`, with the words of whoever could not resolve it: they name the reference only */
export async function resolveSecret(ref: string, secret: SecretOf, place: string): Promise<string> {
  try {
    return await secret(ref);
  } catch (error) {
    throw new SourceError('secret', `source ${place}: ${(error as Error).message}`, { cause: error });
  }
}
