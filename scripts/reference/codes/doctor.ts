// Codes of the doctor, from its sentences: findings with the way out that each has.
import { DOCTOR_FIXES } from '../../../src/app/doctor/fixes.ts';
import { DOCTOR_SENTENCES } from '../../../src/operator/contract/doctor-sentences.ts';
import type { CodeArea } from './area.ts';

const FIXES: Readonly<Record<string, string | undefined>> = DOCTOR_FIXES;
const SENTENCES: Readonly<Record<string, string>> = DOCTOR_SENTENCES;

/** Findings whose sentence is that of an error. */
const OF_ERRORS: CodeArea['codes'] = [
  ['CHECK_READ_FAILED', 'A read of the doctor failed.', 'The reason says why.'],
  ['CHECK_SECRET', 'The secret of a token cannot be read.', 'Set the variable or create the file.'],
  ['CHECK_SECRET_OPEN', 'Others on the machine can read the file of a secret.', 'Take the permissions away.'],
  [
    'CHECK_NUMBER_NONE',
    'The source has no column for the phone number.',
    'Correct `contact.number` in the mapping, or add the column.',
  ],
  [
    'CHECK_TEMPORAL_SETTINGS',
    'The settings of the Temporal server contradict each other or are not safe.',
    'The message names the variable.',
  ],
  [
    'CHECK_TEMPORAL_AWAY',
    'The Temporal server cannot be used.',
    'Check `temporal.address` or `TEMPORAL_ADDRESS`, TLS and API key, and that the server runs.',
  ],
  [
    'CHECK_NAMESPACE_AWAY',
    'The Temporal server answers, but not its namespace.',
    'Make the namespace, or name another in `temporal.namespace` or `TEMPORAL_NAMESPACE`.',
  ],
  [
    'CHECK_ATTRIBUTES_REFUSED',
    'The search attributes of Sluice could not be read or registered.',
    'The message has the command that registers them. An operator of the cluster runs it.',
  ],
  ['CHECK_TEMPORAL_CLI', 'What the search for a Temporal CLI found.', 'None.'],
  ['CHECK_TEMPORAL_BINARY', '`TEMPORAL_CLI_PATH` names no program.', 'Correct the path.'],
  [
    'CHECK_KEYS',
    'A key of `temporal.encryption` or `ledger.encryption` is missing, is no key, or is not the one that the ledger knows.',
    'The message names the key and the way out.',
  ],
  ['CHECK_DATABASE_URL', '`DATABASE_URL` is not valid.', 'The message names the part.'],
  ['CHECK_DATABASE_OLD', 'The PostgreSQL server is too old.', 'Update it.'],
  [
    'CHECK_DATABASE',
    'The database cannot be used.',
    'Check `DATABASE_URL`, its user and password, and that the database runs.',
  ],
];

/** Parameters stand by their names. */
function sentenceOf(text: string): string {
  const shown = text.replaceAll(/\{\{(\w+)\}\}/g, '`$1`');
  return `${shown.charAt(0).toUpperCase()}${shown.slice(1)}${/[.?]$/.test(shown) ? '' : '.'}`;
}

const OF_SENTENCES = Object.entries(SENTENCES)
  .filter(([key]) => key.startsWith('CHECK_') && !key.endsWith('_one'))
  .map(([key, text]) => {
    const code = key.replace(/_other$/, '');
    const fix = SENTENCES[FIXES[code] ?? ''];
    return [code, sentenceOf(text), fix === undefined ? 'None.' : sentenceOf(fix)] as const;
  });

export const DOCTOR_CODES: readonly CodeArea[] = [
  {
    title: 'Findings of the doctor',
    about:
      'What `sluice doctor` and the console say of one check. Parameters stand by their names. A finding may be in order, a warning, a problem, or not checkable.',
    codes: [...OF_ERRORS, ...OF_SENTENCES],
  },
];
