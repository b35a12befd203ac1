// Errors of the command line and the configuration as text and exit code. It loads nothing else, so that a mistyped
// word is answered at once.
import { CommanderError } from 'commander';
import {
  ConfigError,
  ConfigFileError,
  type ConfigProblem,
  formatProblem,
  SecretError,
  UnknownNameError,
} from '../../core/config/errors.ts';
import { neutralLine } from '../../observe/neutral.ts';
import { OperatorError } from '../../operator/error.ts';
import { CliError, EXIT, EXIT_OF } from './exit.ts';

export interface Described {
  /** Null: commander has printed it already. */
  readonly message: string | null;
  readonly exitCode: number;
}

/** Null for an error of another kind. */
export function describePlain(error: unknown): Described | null {
  if (error instanceof CommanderError)
    return { message: null, exitCode: error.exitCode === 0 ? EXIT.ok : EXIT.usage };
  if (error instanceof OperatorError) {
    // The API of this process: its cause has the exit code that it has in any other command.
    const cause = error.cause === undefined ? null : describeConfig(error.cause);
    if (cause !== null) return cause;
    const exitCode = error.code === 'SECRET' ? EXIT.auth : EXIT_OF[error.kind];
    return { message: neutralLine(error.message), exitCode };
  }
  if (error instanceof CliError) return { message: error.message, exitCode: error.exitCode };
  return describeConfig(error);
}

function describeConfig(error: unknown): Described | null {
  if (error instanceof ConfigError) {
    // Only errors of the program itself may print several lines: a line break from outside could forge a line.
    const message = error.problems.map((problem) => neutralLine(formatProblem(problem))).join('\n');
    const isMissing = error.problems.every(({ missingFile }) => missingFile === true);
    return { message, exitCode: isMissing ? EXIT.notFound : EXIT.usage };
  }
  if (error instanceof ConfigFileError) {
    const exitCode = error.code === 'not_found' ? EXIT.notFound : EXIT.usage;
    return { message: neutralLine(error.message), exitCode };
  }
  if (error instanceof UnknownNameError)
    return { message: neutralLine(error.message), exitCode: EXIT.notFound };
  if (error instanceof SecretError) return { message: neutralLine(error.message), exitCode: EXIT.auth };
  return null;
}

/** What `--json` prints on stderr for an error, as its last line. */
export interface ErrorReport {
  readonly error: {
    /** A code of the program or of the service, else the kind that the exit code stands for. */
    readonly code: string;
    readonly message: string;
    readonly exit: number;
    /** With an invalid configuration. */
    readonly problems?: readonly ConfigProblem[];
  };
}

const KINDS: Readonly<Record<number, string>> = {
  [EXIT.usage]: 'USAGE',
  [EXIT.notFound]: 'NOT_FOUND',
  [EXIT.auth]: 'AUTH',
  [EXIT.conflict]: 'CONFLICT',
  [EXIT.unavailable]: 'UNAVAILABLE',
};

export function errorReport(error: unknown, { message, exitCode }: Described): ErrorReport {
  const { code } = error as { readonly code?: unknown };
  const own = typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,}$/.test(code) ? code : undefined;
  const report = {
    code: own ?? KINDS[exitCode] ?? 'ERROR',
    message: message ?? ofCommander(error),
    exit: exitCode,
  };
  return { error: error instanceof ConfigError ? { ...report, problems: error.problems } : report };
}

function ofCommander(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  if (text === '(outputHelp)') return 'name a command; --help lists them';
  return neutralLine(text.replace(/^error: /, '').replaceAll('\n', ' '));
}
