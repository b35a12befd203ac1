// Checks the parts of `ingress` against each other.

import { Duration, durationMs } from '../../../core/config/base.ts';
import type { ConfigProblem } from '../../../core/config/errors.ts';
import { child, entriesOf } from '../../../core/config/raw.ts';
import type { YamlFile } from '../../../core/config/yaml-file.ts';

export function checkIngress(main: YamlFile): ConfigProblem[] {
  return [...checkTimeouts(main), ...checkGroups(main)];
}

/** The headers are part of the request, which must be complete within `bodyTimeout`. */
function checkTimeouts(main: YamlFile): ConfigProblem[] {
  const http = child(child(main.value, 'ingress'), 'http');
  const [headers = '10s', body = '20s'] = [child(http, 'headersTimeout'), child(http, 'bodyTimeout')];
  const [first, whole] = [Duration.safeParse(headers), Duration.safeParse(body)];
  if (!first.success || !whole.success || durationMs(first.data) <= durationMs(whole.data)) return [];
  const key = child(http, 'headersTimeout') === undefined ? 'bodyTimeout' : 'headersTimeout';
  const message = `allows ${first.data} for the headers, and bodyTimeout allows only ${whole.data} for the whole request`;
  return [main.problemAt(['ingress', 'http', key], message, 'keep headersTimeout at bodyTimeout or less')];
}

/**
 * All members of a consumer group must read the same topics: with two clusters in one group, one would get no records.
 */
function checkGroups(main: YamlFile): ConfigProblem[] {
  const seen: { name: string; group: unknown; brokers: readonly unknown[] }[] = [];
  return entriesOf(main, 'ingress', 'kafka').flatMap(([name, cluster]) => {
    const group = child(cluster, 'group') ?? 'sluice';
    const brokers = child(cluster, 'brokers');
    if (!Array.isArray(brokers)) return [];
    const duplicate = seen.find((one) => one.group === group && one.brokers.some((b) => brokers.includes(b)));
    seen.push({ name, group, brokers });
    if (duplicate === undefined) return [];
    const message = `shares brokers and the group "${String(group)}" with "${duplicate.name}"`;
    return [main.problemAt(['ingress', 'kafka', name], message, 'give each its own `group`, or merge them')];
  });
}
