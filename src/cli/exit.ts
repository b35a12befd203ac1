// Exit codes of every command, and the error that carries one.

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
} as const;

/** Thrown by a command to end with a code; the message goes to stderr as it stands. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: number;
  constructor(exitCode: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}
