// What `sluice config check` says of a configuration that is right.
import { access } from 'node:fs/promises';
import { type SinkConfig, secretsOfSink } from '../connectors/sinks/config.ts';
import { type SourceConfig, secretRefs } from '../connectors/sources/config.ts';
import { SecretError } from '../core/config/errors.ts';
import { redactTokens } from '../core/redaction.ts';
import { type CampaignConfig } from '../jobs/campaigns/config.ts';
import { aboutChannel, secretsOfChannel } from '../observe/notices/config.ts';
import type { LoadedConfig } from './load.ts';
import { keysOfServer, type TemporalConfig } from './schema/temporal.ts';
import type { SecretPresence } from './secrets.ts';
import { faultOf, tlsFiles } from './tls-files.ts';

export interface SecretState extends SecretPresence {
  readonly ref: string;
}

export type ConfigSummary = Awaited<ReturnType<typeof summarize>>;

/** How to find out whether a secret is there. */
export type SecretCheck = (loaded: LoadedConfig, ref: string) => Promise<SecretPresence>;

/**
 * The content of a configuration, and whether its secrets and files exist. It contains no secret.
 * @param check reads every secret if left out
 * @param namesTemporal whether the environment names a Temporal server
 */
export async function summarize(
  loaded: LoadedConfig,
  now = new Date(),
  check: SecretCheck = readSecret,
  namesTemporal = true,
) {
  const secretState = async (ref: string): Promise<SecretState> => ({ ref, ...(await check(loaded, ref)) });
  const statesOf = (refs: readonly string[]) => Promise.all(refs.map(secretState));
  const { accounts, sources, mappings, syncs, ingress, routes, sinks, pollers, campaigns, notices } =
    loaded.config;
  const { temporal, operator } = loaded.config;
  const files = tlsFiles(loaded.config, {});
  const faultsOf = (connection: string) =>
    files.flatMap((file) => (file.connection === connection ? (faultOf(file) ?? []) : []));
  return {
    file: loaded.file,
    /** Servers with files or secrets of their own. */
    servers: [
      ...(temporal.tls === undefined && temporal.apiKey === undefined
        ? []
        : [
            {
              name: 'temporal',
              place: temporal.address ?? 'the address in TEMPORAL_ADDRESS',
              secrets: await statesOf([temporal.apiKey ?? []].flat()),
              notes: [...faultsOf('temporal'), ...unusedOf(temporal, namesTemporal)],
            },
          ]),
      ...(operator.http.tls === undefined
        ? []
        : [{ name: 'console', place: 'with TLS', secrets: [], notes: faultsOf('console') }]),
    ],
    accounts: await summaries(accounts, async ({ baseUrl, callsPerMinute, tokens }) => ({
      baseUrl: redactTokens(baseUrl),
      callsPerMinute,
      tokens: await statesOf(tokens),
    })),
    sources: await summaries(sources, async (source) => ({
      type: source.type,
      ...(await placeOf(source)),
      secrets: await statesOf(secretRefs(source)),
    })),
    mappings: Object.keys(mappings),
    syncs: await summaries(syncs, ({ account, source, mapping }) => ({ account, source, mapping })),
    clusters: await summaries(ingress.kafka, async ({ brokers, tls, sasl }, name) => ({
      brokers,
      notes: faultsOf(`ingress.kafka.${name}`),
      secrets:
        sasl === undefined
          ? []
          : [noteOf(await secretState(sasl.password), sasl.mechanism === 'plain' && !tls)],
    })),
    routes: await summaries(routes, async ({ account, action, http, kafka }) => ({
      account,
      action: action.type,
      /** Ways in: a path, topics of a cluster. */
      from: [
        ...(http === undefined ? [] : [`POST ${http.path}`]),
        ...(kafka === undefined ? [] : [`${kafka.topics.join(', ')} of ${kafka.cluster}`]),
      ],
      secrets: await statesOf(http === undefined || http.auth.type === 'none' ? [] : http.auth.secrets),
    })),
    sinks: await summaries(sinks, async (sink, name) => ({
      type: sink.type,
      notes: faultsOf(`sinks.${name}`),
      place: placeOfSink(sink),
      secrets: (await statesOf(secretsOfSink(sink))).map((secret) => noteOf(secret, isPlain(sink))),
    })),
    pollers: await summaries(pollers, ({ account, connection = null }) => ({
      account,
      /** Null: all of them. */
      connection,
      /** Sinks that receive its events. */
      announce: [...new Set(accounts[account]?.announce.map(({ sink }) => sink))],
    })),
    campaigns: await summaries(campaigns, (campaign) => ({
      account: campaign.account,
      flow: campaign.flow,
      connection: campaign.connection,
      /** What each part of the audience is read from: cards, contacts, the name of a source, ledger. */
      audience: campaign.audience.map((part) => (part.from === 'source' ? part.source : part.from)),
      schedule: [campaign.schedule?.cron ?? []].flat(),
      notes: notesOn(campaign, now),
    })),
    notices: await summaries(notices, async (channel) => ({
      /** Kind of channel and host, in words. */
      about: aboutChannel(channel),
      secrets: await statesOf([...secretsOfChannel(channel).values()]),
    })),
  };
}

/** Without an address, neither of them has an effect. */
function unusedOf(temporal: TemporalConfig, namesTemporal: boolean): string[] {
  if (temporal.address !== undefined || namesTemporal || temporal.tls === false) return [];
  return keysOfServer(temporal).map(
    (key) =>
      `no address names a server, so nothing uses ${key}; set temporal.address or TEMPORAL_ADDRESS, or remove ${key}`,
  );
}

/** The entries of a part of the configuration, each with its name first. */
async function summaries<Entry, Summary extends object>(
  entries: Readonly<Record<string, Entry>>,
  summaryOf: (entry: Entry, name: string) => Summary | Promise<Summary>,
): Promise<({ readonly name: string } & Summary)[]> {
  return await Promise.all(
    Object.entries(entries).map(async ([name, entry]) => ({ name, ...(await summaryOf(entry, name)) })),
  );
}

/** What was right when it was written, or is right but surprising: never a reason to refuse the file. */
function notesOn({ end, holdout, approval, schedule }: CampaignConfig, now: Date): string[] {
  return [
    ...(end !== undefined && new Date(end) <= now
      ? [`it was over on ${end}, so no plan of it can be started; write a later end, or take it out`]
      : []),
    ...(holdout > 0.5 ? [`it leaves more people alone than it reaches: holdout is ${holdout}`] : []),
    ...(approval === 'second-person' && schedule !== undefined
      ? [
          'its schedule makes plans only: each waits for `sluice campaign approve` and `sluice campaign start`',
        ]
      : []),
  ];
}

/** Topic, address, file or table. */
function placeOfSink(sink: SinkConfig): string {
  switch (sink.type) {
    case 'kafka':
      return `topic ${sink.topic} at ${sink.brokers.join(', ')}`;
    case 'http':
      return sink.url;
    case 'jsonl':
      return sink.path;
    case 'postgres':
      return `table ${sink.table}`;
  }
}

function isPlain(sink: SinkConfig): boolean {
  return sink.type === 'kafka' && sink.sasl?.mechanism === 'plain' && !sink.tls;
}

/** @param plain whether everybody on the way can read the password */
function noteOf(secret: SecretState, plain: boolean): SecretState {
  if (!plain) return secret;
  const note = 'the password goes over the network as it is; set tls: true, or use scram-sha-512';
  return { ...secret, notes: [...secret.notes, note] };
}

/** File, table or address, and whether the file can be opened; databases and addresses are for `sluice doctor`. */
async function placeOf(source: SourceConfig): Promise<{ path: string; readable: boolean }> {
  if (source.type === 'http') return { path: source.url, readable: true };
  if (source.type === 'postgres') return { path: source.table ?? 'a query', readable: true };
  const { path } = source;
  return {
    path,
    readable: await access(path).then(
      () => true,
      () => false,
    ),
  };
}

const readSecret: SecretCheck = async (loaded, ref) => {
  try {
    const { warnings } = await loaded.secret(ref);
    return { found: true, notes: warnings };
  } catch (error) {
    if (!(error instanceof SecretError)) throw error;
    return { found: false, notes: [error.message] };
  }
};

/** For a process that needs no secret of other parts: it reads none. */
export const probeOnly: SecretCheck = (loaded, ref) => loaded.secrets.probe(ref, loaded.dir);
