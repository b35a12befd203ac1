// The summary of a configuration as people read it.
import type { ConfigSummary, SecretState } from './config-summary.ts';

/** The summary as lines for people: one per thing, with what is missing spelled out. */
export function describeSummary(summary: ConfigSummary): string[] {
  const rows = [
    ...summary.accounts.map(({ name, baseUrl, callsPerMinute, tokens }) => [
      'account',
      name,
      `${baseUrl}, ${callsPerMinute} calls a minute, ${tokens.map(describeSecret).join(', ')}`,
    ]),
    ...summary.sources.map(({ name, type, path, readable, secrets }) => [
      'source',
      name,
      [
        type,
        `${path}${readable ? '' : ' (not there, or not readable)'}`,
        ...secrets.map(describeSecret),
      ].join(', '),
    ]),
    ...summary.mappings.map((name) => ['mapping', name, '']),
    ...summary.syncs.map(({ name, account, source, mapping }) => [
      'sync',
      name,
      `${source} through ${mapping} into ${account}`,
    ]),
    ...summary.clusters.map(({ name, brokers, secrets }) => [
      'cluster',
      name,
      [...brokers, ...secrets.map(describeSecret)].join(', '),
    ]),
    ...summary.routes.map(({ name, account, action, from, secrets }) => [
      'route',
      name,
      [`${action} into ${account}`, ...from, ...secrets.map(describeSecret)].join(', '),
    ]),
    ...summary.sinks.map(({ name, type, place, secrets }) => [
      'sink',
      name,
      [type, place, ...secrets.map(describeSecret)].join(', '),
    ]),
    ...summary.pollers.map(({ name, account, connection, announce }) => [
      'poller',
      name,
      [
        `${account}${connection === null ? '' : `, connection ${connection}`}`,
        announce.length === 0 ? 'announced to no sink' : `announced to ${announce.join(' and ')}`,
      ].join(', '),
    ]),
    ...summary.campaigns.map(({ name, account, flow, connection, audience, schedule }) => [
      'campaign',
      name,
      [
        `flow ${flow} over connection ${connection} of ${account}`,
        `for ${[...new Set(audience)].join(' and ')}`,
        ...schedule,
      ].join(', '),
    ]),
  ];
  const width = Math.max(0, ...rows.map(([, name = '']) => name.length));
  const lines = rows.map(([kind = '', name = '', text = '']) =>
    `  ${kind.padEnd(8)} ${name.padEnd(width)}  ${text}`.trimEnd(),
  );
  const secrets = [
    ...summary.accounts.map(({ name, tokens }) => ({ thing: `account ${name}`, secrets: tokens })),
    ...summary.sources.map(({ name, secrets }) => ({ thing: `source ${name}`, secrets })),
    ...summary.clusters.map(({ name, secrets }) => ({ thing: `cluster ${name}`, secrets })),
    ...summary.routes.map(({ name, secrets }) => ({ thing: `route ${name}`, secrets })),
    ...summary.sinks.map(({ name, secrets }) => ({ thing: `sink ${name}`, secrets })),
  ].map(({ thing, secrets }) => ({ thing, notes: secrets.flatMap((secret) => secret.notes) }));
  const campaigns = summary.campaigns.map(({ name, notes }) => ({ thing: `campaign ${name}`, notes }));
  const notes = [...secrets, ...campaigns].flatMap(({ thing, notes }) =>
    notes.map((note) => `  ${thing}: ${note}`),
  );
  return [`${summary.file} is right`, ...lines, ...(notes.length === 0 ? [] : ['To check', ...notes])];
}

function describeSecret({ ref, found }: SecretState): string {
  return `${ref} ${found ? 'found' : 'NOT FOUND'}`;
}
