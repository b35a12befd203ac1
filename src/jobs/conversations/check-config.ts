// Checks pollers and the sinks that get conversation events. It reads the raw value entry by entry, so that a mistake
// elsewhere in the file does not hide one here.
import { isAbsolute, normalize } from 'node:path';
import { Duration, durationMs } from '../../core/config/base.ts';
import { checkSecrets } from '../../core/config/check-secrets.ts';
import type { ConfigProblem } from '../../core/config/errors.ts';
import { child, entriesOf } from '../../core/config/raw.ts';
import type { YamlFile } from '../../core/config/yaml-file.ts';
import { suggestion } from '../../core/suggest.ts';
import { AnnounceRule } from '../outbox/contract/announce.ts';
import { PollerConfig } from './config.ts';

/** @param now a later `from` is in the future */
export function checkPollers(main: YamlFile, now: Date): ConfigProblem[] {
  const pollers = entriesOf(main, 'pollers');
  return [
    ...pollers.flatMap(([name, poller]) => [
      ...checkInterval(main, name, child(poller, 'interval')),
      ...checkFrom(main, name, child(poller, 'from'), now),
    ]),
    ...checkOverlap(main, pollers),
    ...entriesOf(main, 'accounts').flatMap(([name, account]) =>
      checkAnnounce(main, name, child(account, 'announce')),
    ),
    ...checkSinks(main),
  ];
}

function checkInterval(main: YamlFile, name: string, interval: unknown): ConfigProblem[] {
  const { min: least, max: most } = PollerConfig.shape.interval.parse({});
  const [min, max] = [
    Duration.safeParse(child(interval, 'min') ?? least),
    Duration.safeParse(child(interval, 'max') ?? most),
  ];
  if (!min.success || !max.success || durationMs(min.data) <= durationMs(max.data)) return [];
  const key = child(interval, 'min') === undefined ? 'max' : 'min';
  const message = `waits ${min.data} between polls when busy, and only ${max.data} when idle`;
  return [
    main.problemAt(['pollers', name, 'interval', key], message, 'keep interval.min at interval.max or less'),
  ];
}

function checkFrom(main: YamlFile, name: string, from: unknown, now: Date): ConfigProblem[] {
  const { success, data } = PollerConfig.shape.from.safeParse(from);
  if (!success || from === undefined || data === 'now' || data === 'all') return [];
  if (new Date(data) <= now) return [];
  const message = `${data} is in the future, and Sluice publishes no message from before it`;
  return [main.problemAt(['pollers', name, 'from'], message, 'write a past time, or now')];
}

/** A conversation has one poller: two pollers would count and publish each message twice. */
function checkOverlap(main: YamlFile, pollers: readonly [string, unknown][]): ConfigProblem[] {
  const before: { name: string; account: string; connection: unknown }[] = [];
  return pollers.flatMap(([name, poller]) => {
    const [account, connection] = [child(poller, 'account'), child(poller, 'connection')];
    if (typeof account !== 'string') return [];
    const duplicate = before.find(
      (one) =>
        one.account === account &&
        (one.connection === undefined || connection === undefined || one.connection === connection),
    );
    before.push({ name, account, connection });
    if (duplicate === undefined) return [];
    if (connection !== undefined && duplicate.connection === connection) {
      const message = `the poller "${duplicate.name}" follows connection ${String(connection)} of the account "${account}" already`;
      return [main.problemAt(['pollers', name, 'connection'], message, 'keep one of them')];
    }
    const all = duplicate.connection === undefined ? `"${duplicate.name}"` : 'this one';
    const message = `shares conversations of the account "${account}" with the poller "${duplicate.name}": ${all} follows every connection`;
    return [
      main.problemAt(
        ['pollers', name],
        message,
        'give each poller its own `connection`, or keep the one without',
      ),
    ];
  });
}

function checkAnnounce(main: YamlFile, account: string, rules: unknown): ConfigProblem[] {
  if (!Array.isArray(rules)) return [];
  const known = entriesOf(main, 'sinks').map(([name]) => name);
  const seen = new Map<string, number>();
  return rules.flatMap((rule: unknown, index) => {
    const at = ['accounts', account, 'announce', index];
    const problems: ConfigProblem[] = [];
    const sink = child(rule, 'sink');
    if (typeof sink === 'string' && !known.includes(sink)) {
      const hint = suggestion(sink, known, 'sinks');
      problems.push(main.problemAt([...at, 'sink'], `there is no sink "${sink}"`, hint));
    }
    const { success, data } = AnnounceRule.safeParse(rule);
    if (!success) return problems;
    const fingerprint = JSON.stringify([data.sink, sorted(data.events), sorted(data.connections)]);
    const first = seen.get(fingerprint);
    if (first === undefined) seen.set(fingerprint, index);
    else problems.push(main.problemAt(at, `repeats entry ${first + 1} of the list`, 'keep one of them'));
    return problems;
  });
}

function sorted(list: readonly (string | number)[] | undefined): readonly string[] | null {
  return list === undefined ? null : [...new Set(list)].map(String).sort();
}

function checkSinks(main: YamlFile): ConfigProblem[] {
  const owners = new Map<string, string>();
  return entriesOf(main, 'sinks').flatMap(([name, sink]) => {
    const type = child(sink, 'type');
    if (type === 'http') return checkSecrets(main, ['sinks', name, 'secrets'], child(sink, 'secrets'));
    const path = child(sink, 'path');
    if (type !== 'jsonl' || typeof path !== 'string' || path === '') return [];
    const at = ['sinks', name, 'path'];
    if (path.endsWith('/')) {
      const hint = 'name a file in it, for example events.jsonl';
      return [main.problemAt(at, `"${path}" is a folder`, hint)];
    }
    const place = isAbsolute(path) ? path : normalize(path);
    const owner = owners.get(place);
    if (owner === undefined) owners.set(place, name);
    else
      return [
        main.problemAt(
          at,
          `the sink "${owner}" writes to "${path}" already`,
          'choose another, or announce both to one sink',
        ),
      ];
    return [];
  });
}
