// The two ways in which mapping fails: the mapping itself is wrong, or one value of one row is.

/** A mapping that can't work: thrown when it is compiled, before any row. `path` leads to the entry, as in `['contact', 'number']`. */
export class MappingConfigError extends Error {
  override readonly name = 'MappingConfigError';
  readonly path: string[];
  /** The message without the path, for those who show the place in another way. */
  readonly problem: string;
  constructor(path: readonly string[], problem: string, options?: ErrorOptions) {
    super(`mapping ${path.join('.')}: ${problem}`, options);
    this.path = [...path];
    this.problem = problem;
  }
}

/** Mapping cannot go on: an expression takes too long, or too much memory. The message names it, never a value. */
export class MappingStoppedError extends Error {
  override readonly name = 'MappingStoppedError';
}

/** One value can't be used: becomes a RowProblem of its field. The reason never holds the value. */
export class ValueError extends Error {
  override readonly name = 'ValueError';
  readonly code: string;
  readonly value: unknown;
  constructor(code: string, reason: string, value: unknown) {
    super(reason);
    this.code = code;
    this.value = value;
  }
}
