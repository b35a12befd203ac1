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
  /** SIGINT or SIGTERM ended the command before its work was done. */
  interrupted: 130,
} as const;

/** The source exists, and its configuration is wrong. */
const WRONG_SOURCE: ReadonlySet<string> = new Set([
  'format',
  'encoding',
  'no_header',
  'no_column',
  'bad_config',
  'bad_key',
]);

/** @param code of a SourceError that no retry fixes */
export function exitCodeOfSource(code: string): number {
  if (code === 'not_found') return EXIT.notFound;
  if (WRONG_SOURCE.has(code)) return EXIT.usage;
  return code === 'denied' || code === 'secret' ? EXIT.auth : EXIT.error;
}

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
