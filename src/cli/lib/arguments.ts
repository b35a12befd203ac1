// Parsers of option values.
import { InvalidArgumentError } from 'commander';

/** Parser of a whole number within bounds. */
export function integer(bounds: { min?: number; max?: number }): (text: string) => number {
  const { min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER } = bounds;
  return (text) => {
    const value = Number(text);
    if (!/^-?\d+$/.test(text) || value < min || value > max) {
      throw new InvalidArgumentError(
        `write a whole number${bounds.min === undefined ? '' : ` from ${min}`}${bounds.max === undefined ? '' : ` to ${max}`}.`,
      );
    }
    return value;
  };
}

/** Parser of a repeatable option: keeps all values. */
export function collect(value: string, previous: readonly string[]): readonly string[] {
  return [...previous, value];
}
