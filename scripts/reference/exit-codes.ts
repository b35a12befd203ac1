// docs/reference/exit-codes.md: exit codes of commands, and the one list of error codes.
import { EXIT } from '../../src/cli/lib/exit.ts';
import { CODE_AREAS } from './codes/index.ts';
import { code, GENERATED, item, page, wrap } from './markdown.ts';

const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: 'Done. Also a command that stays up, such as `sluice dev`, after SIGINT or SIGTERM.',
  error: 'Error. Also a run that was canceled, failed or is blocked.',
  usage: 'Wrong usage, configuration or input file.',
  notFound: 'A file, folder, sync, run or other named thing does not exist.',
  auth: 'A secret is missing, or the service refuses the token.',
  conflict:
    'Another process uses the state folder, files exist already, the state of a run does not allow the command, or the ledger needs another version of Sluice or PostgreSQL.',
  failedRecords:
    'Finished, but records failed, all rows were rejected, the account refused a step, or rows were not read.',
  unknownOutcomes: 'Finished, but some outcomes are unknown.',
  unavailable: 'Temporal, the database or a source cannot be reached.',
  interrupted: 'SIGINT or SIGTERM ended the command before its work was done.',
};

const PAUSED =
  'A run pauses when the service refuses the token. On a terminal, `sync run` then says what to do. In a script, or with `--json`, it ends with exit code 4. Start the sync again with a valid token, and the run continues. A run also pauses when the [first write of a kind](../decisions/0036-the-first-write-is-verified.md) shows another value than Sluice sent (`NOT_AS_WRITTEN`, exit code 1).';

const SIGNALS =
  'A command ends within 2 s of SIGINT or SIGTERM. What it could not close by then is safe: the next command takes over an embedded Temporal server, and reads back a call whose answer was lost. A command that stays up first completes its active calls, and a second signal ends it at once.';

const CODES =
  'Reports, lists and answers name each problem by a code. Codes are stable; messages may change. Each entry says what happened and what to do.';

/** The page docs/reference/exit-codes.md. */
export function renderExitCodes(): string {
  const exits = Object.entries(EXIT).map(([key, value]) =>
    item(`${code(String(value))}: ${EXIT_MEANINGS[key as keyof typeof EXIT]}`),
  );
  const areas = CODE_AREAS.flatMap(({ title, about, codes }) => [
    `### ${title}`,
    wrap(about),
    codes
      .map(([name, meaning, action]) =>
        item(`${code(name)}: ${meaning}${action === 'None.' ? '' : ` ${action}`}`),
      )
      .join('\n'),
  ]);
  return page(
    '# Exit and error codes',
    GENERATED,
    '## Exit codes',
    exits.join('\n'),
    wrap(SIGNALS),
    wrap(PAUSED),
    '## Error codes',
    wrap(CODES),
    ...areas,
  );
}
