// Checks the parts of a configuration against each other: modes against sources and mappings, reserves against limits.
// It reads the raw value entry by entry, so that a mistake elsewhere in the file does not hide one here.

import type { Say } from '../../core/config/checks.ts';
import type { ConfigProblem } from '../../core/config/errors.ts';
import { child, entriesOf } from '../../core/config/raw.ts';
import type { YamlFile } from '../../core/config/yaml-file.ts';

/** @param cardless whether a mapping (by name) makes no cards; null when unknown */
export function checkSyncs(main: YamlFile, cardless: (mapping: string) => boolean | null): ConfigProblem[] {
  const say: Say = (path, message, hint) => main.problemAt(path, message, hint);
  return [
    ...entriesOf(main, 'syncs').flatMap(([name, sync]) => checkSync(main, name, sync, cardless, say)),
    ...entriesOf(main, 'accounts').flatMap(([name, account]) => checkReserves(name, account, say)),
  ];
}

function checkSync(
  main: YamlFile,
  name: string,
  sync: unknown,
  cardless: (mapping: string) => boolean | null,
  say: Say,
): ConfigProblem[] {
  const mirror = child(sync, 'mode') === 'mirror';
  const vanished = child(sync, 'vanished');
  const commands = vanished !== undefined && vanished !== 'ignore';
  const problems: ConfigProblem[] = [];
  if (commands && !mirror) {
    problems.push(
      say(
        ['syncs', name, 'vanished'],
        'only a mirror detects who left the source',
        'set mode: mirror, or remove it',
      ),
    );
  }
  const mapping = child(sync, 'mapping');
  if (typeof vanished === 'object' && typeof mapping === 'string' && cardless(mapping) === true) {
    problems.push(
      say(
        ['syncs', name, 'vanished'],
        `the mapping "${mapping}" makes no cards, so there is no card to move`,
        'use remove-tags, or add a card to the mapping',
      ),
    );
  }
  const source = child(sync, 'source');
  if (mirror && typeof source === 'string') {
    const incremental = child(child(child(main.value, 'sources'), source), 'incremental');
    if (incremental !== undefined) {
      problems.push(
        say(
          ['syncs', name, 'mode'],
          `the source "${source}" is incremental: a row that it does not return may still exist`,
          'use a source that returns all rows',
        ),
      );
    }
  }
  return problems;
}

function checkReserves(name: string, account: unknown, say: Say): ConfigProblem[] {
  const reserve = child(account, 'reserve');
  const number = (value: unknown, otherwise: number) => (typeof value === 'number' ? value : otherwise);
  const limit = number(child(account, 'callsPerMinute'), 120);
  const sum = number(child(reserve, 'reply'), 0) + number(child(reserve, 'lead'), 0);
  const floor = number(child(account, 'floor'), Math.max(0, Math.min(6, limit - sum)));
  if (sum + floor <= limit) return [];
  return [
    say(
      ['accounts', name, child(account, 'floor') === undefined ? 'reserve' : 'floor'],
      `reserves and floor add up to ${sum + floor} calls a minute, and a token allows ${limit}`,
      `keep the sum of reserve.reply, reserve.lead and floor at ${limit} or less`,
    ),
  ];
}
