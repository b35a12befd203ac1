// Codes of commands on syncs, schedules and dry runs.
import type { CodeArea } from './area.ts';

export const SYNCS_CODES: readonly CodeArea[] = [
  {
    title: 'Syncs, schedules and dry runs',
    about: 'Refusals of commands, with `--json` and in the operator API.',
    codes: [
      ['NO_RUN', 'The sync has no such run, or has not run yet.', '`sluice sync runs` lists the runs.'],
      ['NOT_RUNNING', 'The sync has no active run.', '`sluice sync status` shows its last run.'],
      [
        'RUN_ACTIVE',
        'A retry, or a decision about unknown rows, needs the sync for itself.',
        'Wait for the end of the run, or cancel it.',
      ],
      ['NO_SCHEDULE', 'The Temporal server has no such schedule.', '`sluice sync schedule apply`.'],
      [
        'SCHEDULE_REFUSED',
        'The Temporal server refuses a schedule.',
        'Correct `cron`, `timeZone` or `jitter`.',
      ],
      ['BACKFILL_SPAN', 'The period of a backfill ends before it begins.', 'Swap its ends.'],
      ['NO_PLAN', 'The dry run was deleted, or its process has ended.', 'Start it again.'],
      ['PLAN_ACTIVE', 'Another dry run is active in this process.', 'Wait for its end, or cancel it.'],
      ['NO_UPLOAD', 'The uploaded export was deleted.', 'Upload it again.'],
      ['EMPTY_FILE', 'The uploaded export is empty.', 'Choose another file.'],
      ['EXPORT_EXISTS', 'A file has the name of the new export.', 'Choose another name.'],
      [
        'NOT_UPLOADED',
        'The sync does not read a file that the console wrote.',
        'Replace its source where it comes from.',
      ],
      [
        'COLUMNS_MISSING',
        'The new export lacks columns that the mapping uses.',
        'Name the columns as before, or change the mapping first.',
      ],
      [
        'NO_SOURCE_FILE',
        'The run did not record a CSV file from which its rejected rows can be read.',
        'Run the sync again, or correct the rows in the source.',
      ],
      ['TOO_MANY_ROWS', 'The file of corrected rows has too many rows.', 'Upload it in parts.'],
      ['RUN_READS', 'A run is reading the file.', 'Wait until it has read the source, or cancel it.'],
      ['NAME_TAKEN', 'The configuration has an entry of this name.', 'Choose another name.'],
      [
        'SCHEDULED',
        'The sync has a schedule, so it is not deleted.',
        'Remove `schedule` from the sync first.',
      ],
      [
        'SCHEDULE_STARTS',
        'The sync has a schedule, which starts it, and your role may not start syncs.',
        'Somebody with the role operator changes it. You may change its mapping.',
      ],
      [
        'MAPPING_ELSEWHERE',
        'The configuration file does not have the mapping of the sync.',
        'Change it in the file that has it.',
      ],
      [
        'SYNC_ELSEWHERE',
        'The configuration file does not have the sync itself.',
        'Set its `lane` in the file that has it.',
      ],
      [
        'SYNC_SHARED',
        'The sync shares its entry in the file with others, by an anchor.',
        'Set its `lane` in the file.',
      ],
      ['CONFIG_CHANGED', 'Somebody changed the configuration meanwhile.', 'Try again.'],
      ['CONFIG', 'The configuration is not valid.', 'Correct what the message names.'],
      [
        'SECRET',
        'A secret of the configuration cannot be read.',
        'Set the variable or the file that it names.',
      ],
      ['MAPPING', 'The mapping cannot be compiled.', 'Correct what the message names.'],
      ['START_FAILED', 'The command could not start Temporal or its workers.', 'Read the message.'],
    ],
  },
];
