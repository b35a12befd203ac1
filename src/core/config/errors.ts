// Errors of a configuration. Each message names the place, the problem and the fix.
import type { NoteParams } from '../endpoint.ts';
import { redactTokens } from '../redaction.ts';

/** What is wrong, for a form that says it in the language of its page; see `NoteParams`. */
export interface ProblemNote {
  readonly code: string;
  readonly params: NoteParams;
}

export interface ConfigProblem {
  /** Path as the caller wrote it; a preset's path is relative to the same folder. */
  readonly file: string;
  /** 1-based. */
  readonly line: number;
  /** 1-based. */
  readonly column: number;
  /** `syncs.leads.account`; empty when the problem concerns the whole file. */
  readonly path: string;
  readonly message: string;
  readonly hint?: string;
  /** Only frequent problems have one. */
  readonly note?: ProblemNote;
  /** The only problem is that a file which the configuration names does not exist. */
  readonly missingFile?: boolean;
}

/** Thrown for an invalid configuration. `problems` has every problem in file order, and never contains a token. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly ConfigProblem[];
  constructor(problems: readonly ConfigProblem[]) {
    const safe = problems.map(withoutTokens);
    super(safe.map(formatProblem).join('\n'));
    this.problems = safe;
  }
}

/** Thrown when the configuration file is missing or unreadable. */
export class ConfigFileError extends Error {
  override readonly name = 'ConfigFileError';
  readonly code: 'not_found' | 'unreadable';
  readonly file: string;
  constructor(code: ConfigFileError['code'], file: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.file = file;
  }
}

/** Thrown when a caller asks for a name that the configuration does not have. */
export class UnknownNameError extends Error {
  override readonly name = 'UnknownNameError';
  /** The same code wherever the name is checked: in a command, or in the operator API. */
  readonly code = 'UNKNOWN_NAME';
  readonly kind: 'account' | 'source' | 'mapping' | 'sync' | 'campaign' | 'poller';
  readonly wanted: string;
  constructor(kind: UnknownNameError['kind'], wanted: string, hint: string) {
    super(redactTokens(`there is no ${kind} "${wanted}"; ${hint}`));
    this.kind = kind;
    this.wanted = redactTokens(wanted);
  }
}

/** Thrown when a secret can't be read. The message names the reference and the fix, never a value. */
export class SecretError extends Error {
  override readonly name = 'SecretError';
  readonly ref: string;
  constructor(ref: string, message: string, options?: ErrorOptions) {
    super(redactTokens(message), options);
    this.ref = redactTokens(ref);
  }
}

/** One line that editors and terminals can link: `file:line:column  path: message; hint`. */
export function formatProblem(problem: ConfigProblem): string {
  return `${problem.file}:${problem.line}:${problem.column}  ${nameProblem(problem)}`;
}

/** `path: message; hint`, for somebody who sent the entry: the file is one of the server's. */
export function nameProblem({ path, message, hint }: ConfigProblem): string {
  const what = path === '' ? message : `${path}: ${message}`;
  return `${what}${hint === undefined ? '' : `; ${hint}`}`;
}

/** `['syncs', 'leads', 'tags', 0]` → `syncs.leads.tags[0]`. Other keys than plain words are quoted. */
export function formatPath(path: readonly PropertyKey[]): string {
  let text = '';
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`;
    else if (/^[\w-]+$/.test(String(part))) text += text === '' ? String(part) : `.${String(part)}`;
    else text += `[${JSON.stringify(String(part))}]`;
  }
  return text;
}

function withoutTokens(problem: ConfigProblem): ConfigProblem {
  return {
    ...problem,
    path: redactTokens(problem.path),
    message: redactTokens(problem.message),
    ...(problem.hint === undefined ? {} : { hint: redactTokens(problem.hint) }),
    ...(problem.note === undefined ? {} : { note: noteWithoutTokens(problem.note) }),
  };
}

function noteWithoutTokens({ code, params }: ProblemNote): ProblemNote {
  const safe = (value: unknown): unknown =>
    typeof value === 'string' ? redactTokens(value) : Array.isArray(value) ? value.map(safe) : value;
  const entries = Object.entries(params).map(([name, value]) => [name, safe(value)]);
  return { code, params: Object.fromEntries(entries) as NoteParams };
}
