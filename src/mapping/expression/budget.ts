// How large the expressions of one mapping, campaign or action may be together. They are compiled in the thread of the
// server, also those that a user sends, so the time that this takes is limited before it is spent.
import { MappingConfigError } from '../errors.ts';

/** A mapping of usual size has 30. Each is read for each row. */
const MAX_PARTS = 2000;
/** Characters of all JSONata, templates and paths. Measured: at most 2 µs each, in JSONata. A preset has 2,000 at most. */
const MAX_CHARACTERS = 50_000;
/** Instructions of all regular expressions. Measured: 3 µs each. A usual pattern has 30. */
const MAX_INSTRUCTIONS = 20_000;

const sizeOf = (most: number) => most.toLocaleString('en');

export class ExpressionBudget {
  #parts = 0;
  #characters = 0;
  #instructions = 0;

  /** A column, a constant, a placeholder, or an expression. @throws MappingConfigError */
  addPart(at: readonly string[]): void {
    if (++this.#parts > MAX_PARTS)
      throw new MappingConfigError(
        at,
        `columns, placeholders and constants are more than ${sizeOf(MAX_PARTS)} together; use fewer`,
      );
  }

  /** @throws MappingConfigError */
  addText(source: string, at: readonly string[]): void {
    this.#characters += source.length;
    if (this.#characters > MAX_CHARACTERS)
      throw new MappingConfigError(
        at,
        `the expressions have more than ${sizeOf(MAX_CHARACTERS)} characters together; make them simpler`,
      );
  }

  /** @throws MappingConfigError */
  addPattern(instructions: number, at: readonly string[]): void {
    this.#instructions += instructions;
    if (this.#instructions > MAX_INSTRUCTIONS)
      throw new MappingConfigError(
        at,
        'the regular expressions are too large together, for example by numbers in {…}; make them simpler',
      );
  }
}
