// The two ways in which mapping fails: the mapping itself is wrong, or one value of one row is.

/** A mapping that can't work: thrown when it is compiled, before any row. `path` leads to the entry, as in `['contact', 'number']`. */
export class MappingConfigError extends Error {
  override readonly name = 'MappingConfigError';
  readonly path: string[];
  constructor(path: readonly string[], message: string, options?: ErrorOptions) {
    super(`mapping ${path.join('.')}: ${message}`, options);
    this.path = [...path];
  }
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
