// Exit codes of every command, and the error that carries one.
import type { ErrorKind } from '../../core/endpoint.ts';

export const EXIT = {
  ok: 0,
  error: 1,
  usage: 2,
  notFound: 3,
  auth: 4,
  conflict: 5,
  failedRecords: 6,
  unknownOutcomes: 7,
  unavailable: 8,
  /** SIGINT or SIGTERM ended the command before its work was done. */
  interrupted: 130,
} as const;

/** Exit codes of the operator API's refusals. */
export const EXIT_OF = {
  invalid: EXIT.usage,
  unauthenticated: EXIT.auth,
  forbidden: EXIT.auth,
  notFound: EXIT.notFound,
  conflict: EXIT.conflict,
  tooMany: EXIT.unavailable,
  unavailable: EXIT.unavailable,
  failed: EXIT.error,
} as const satisfies Record<ErrorKind, number>;

/** @param code why a poller or a campaign is blocked; never ok */
export function exitCodeOfBlock(code: string): number {
  return /^ERR_(?:TOKEN|SCOPE)_/.test(code) ? EXIT.auth : EXIT.error;
}

/** Thrown by a command to end with an exit code. The message goes to stderr unchanged. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: number;
  constructor(exitCode: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}
