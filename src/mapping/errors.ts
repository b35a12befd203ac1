// The two errors of mapping: the mapping itself is wrong, or one value of one row is.

/**
 * Thrown when a mapping that cannot work is compiled, before any row. `path` points to the entry, for example
 * `['contact', 'number']`.
 */
export class MappingConfigError extends Error {
  override readonly name = 'MappingConfigError';
  readonly path: string[];
  /** The message without the path, for callers that show the place in another way. */
  readonly problem: string;
  constructor(path: readonly string[], problem: string, options?: ErrorOptions) {
    super(`mapping ${path.join('.')}: ${problem}`, options);
    this.path = [...path];
    this.problem = problem;
  }
}

/**
 * Thrown when an expression takes too much time or memory, so mapping cannot continue. The message names the
 * expression, never a value.
 */
export class MappingStoppedError extends Error {
  override readonly name = 'MappingStoppedError';
}

/** Thrown for one unusable value; it becomes a RowProblem of its field. The reason never contains the value. */
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
