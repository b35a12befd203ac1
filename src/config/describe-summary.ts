// The summary of a configuration as people read it.
import type { ConfigSummary, SecretState } from './summary.ts';

/** One thing of the configuration: its kind and name, what it is, and what deserves a check. */
export interface SummaryEntry {
  readonly kind:
    | 'server'
    | 'account'
    | 'source'
    | 'mapping'
    | 'sync'
    | 'cluster'
    | 'route'
    | 'sink'
    | 'poller'
    | 'campaign'
    | 'notices';
  readonly name: string;
  readonly about: string;
  readonly notes: readonly string[];
}

const noNotes: readonly string[] = [];
const notesOf = (secrets: readonly SecretState[]) => secrets.flatMap(({ notes }) => notes);

export function entriesOfSummary(summary: ConfigSummary): SummaryEntry[] {
  return [
    ...summary.servers.map(({ name, place, secrets, notes }) => ({
      kind: 'server' as const,
      name,
      about: [place, ...secrets.map(describeSecret)].join(', '),
      notes: [...notes, ...notesOf(secrets)],
    })),
    ...summary.accounts.map(({ name, baseUrl, callsPerMinute, tokens }) => ({
      kind: 'account' as const,
      name,
      about: `${baseUrl}, ${callsPerMinute} calls a minute, ${tokens.map(describeSecret).join(', ')}`,
      notes: notesOf(tokens),
    })),
    ...summary.sources.map(({ name, type, path, readable, secrets }) => ({
      kind: 'source' as const,
      name,
      about: [
        type,
        `${path}${readable ? '' : ' (not there, or not readable)'}`,
        ...secrets.map(describeSecret),
      ].join(', '),
      notes: notesOf(secrets),
    })),
    ...summary.mappings.map((name) => ({ kind: 'mapping' as const, name, about: '', notes: noNotes })),
    ...summary.syncs.map(({ name, account, source, mapping }) => ({
      kind: 'sync' as const,
      name,
      about: `${source} through ${mapping} into ${account}`,
      notes: noNotes,
    })),
    ...summary.clusters.map(({ name, brokers, secrets, notes }) => ({
      kind: 'cluster' as const,
      name,
      about: [...brokers, ...secrets.map(describeSecret)].join(', '),
      notes: [...notes, ...notesOf(secrets)],
    })),
    ...summary.routes.map(({ name, account, action, from, secrets }) => ({
      kind: 'route' as const,
      name,
      about: [`${action} into ${account}`, ...from, ...secrets.map(describeSecret)].join(', '),
      notes: notesOf(secrets),
    })),
    ...summary.sinks.map(({ name, type, place, secrets, notes }) => ({
      kind: 'sink' as const,
      name,
      about: [type, place, ...secrets.map(describeSecret)].join(', '),
      notes: [...notes, ...notesOf(secrets)],
    })),
    ...summary.pollers.map(({ name, account, connection, announce }) => ({
      kind: 'poller' as const,
      name,
      about: [
        `${account}${connection === null ? '' : `, connection ${connection}`}`,
        announce.length === 0 ? 'announced to no sink' : `announced to ${announce.join(' and ')}`,
      ].join(', '),
      notes: noNotes,
    })),
    ...summary.campaigns.map(({ name, account, flow, connection, audience, schedule, notes }) => ({
      kind: 'campaign' as const,
      name,
      about: [
        `flow ${flow} over connection ${connection} of ${account}`,
        `for ${[...new Set(audience)].join(' and ')}`,
        ...schedule,
      ].join(', '),
      notes,
    })),
    ...summary.notices.map(({ name, about, secrets }) => ({
      kind: 'notices' as const,
      name,
      about: [...about, ...secrets.map(describeSecret)].join(', '),
      notes: notesOf(secrets),
    })),
  ];
}

/** The summary as lines for people: one per thing, with what is missing spelled out. */
export function describeSummary(summary: ConfigSummary): string[] {
  const entries = entriesOfSummary(summary);
  const width = Math.max(0, ...entries.map(({ name }) => name.length));
  const lines = entries.map(({ kind, name, about }) =>
    `  ${kind.padEnd(8)} ${name.padEnd(width)}  ${about}`.trimEnd(),
  );
  const notes = entries.flatMap(({ kind, name, notes }) => notes.map((note) => `  ${kind} ${name}: ${note}`));
  const isMissing = entries.some(({ about }) => MISSING.test(about));
  return [
    `${summary.file} is valid`,
    ...lines,
    ...(notes.length === 0 ? [] : ['The file can be used as it is. To check:', ...notes]),
    ...(isMissing ? [`  ${OWN_ENVIRONMENT}`] : []),
  ];
}

const MISSING = /\benv:\S+ NOT FOUND/;
const OWN_ENVIRONMENT =
  'NOT FOUND means not set in this shell; a running Sluice has its own environment, which `sluice doctor` checks';

function describeSecret({ ref, found }: SecretState): string {
  return `${ref} ${found === null ? 'not run' : found ? 'found' : 'NOT FOUND'}`;
}
