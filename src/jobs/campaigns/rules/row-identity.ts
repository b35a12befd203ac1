// Who an entry of an audience is about whose number cannot be read. A campaign maps no name and no address, so the names
// of the columns say what they are.
import type { RowIdentity } from '../../../core/record.ts';
import { type Guess, guessOfName } from '../../../mapping/column-names.ts';
import { line } from '../../../mapping/parts.ts';

type Values = Readonly<Record<string, unknown>>;
type Who = Pick<RowIdentity, 'name' | 'email'>;

/** Reads rows of a source. Of several columns of one kind, the first that has a value. */
export function rowIdentities(): (values: Values) => Who {
  // All rows of a source have the same columns.
  const guesses = new Map<string, Guess | null>();
  const guessOf = (column: string): Guess | null => {
    const known = guesses.get(column);
    if (known !== undefined) return known;
    const guess = guessOfName(column);
    guesses.set(column, guess);
    return guess;
  };
  return (values) => {
    const found = new Map<Guess, string>();
    for (const [column, value] of Object.entries(values)) {
      const text = typeof value === 'object' ? undefined : line(value);
      const guess = text === undefined ? null : guessOf(column);
      if (guess !== null && text !== undefined && !found.has(guess)) found.set(guess, text);
    }
    const parts = [found.get('firstName'), found.get('lastName')].filter((part) => part !== undefined);
    return { name: found.get('name') ?? (parts.join(' ') || null), email: found.get('email') ?? null };
  };
}

/** @param values as of cards, contacts and people in the ledger, see `CompiledAudience` */
export function identityOfContact({ contact }: Values): Who {
  const { name, email } = (contact ?? {}) as Values;
  return { name: line(name) ?? null, email: line(email) ?? null };
}
