// What `sluice config check` says of a configuration that is right.
import { access } from 'node:fs/promises';
import { type SinkConfig, secretsOfSink } from '../connectors/sinks/config.ts';
import { type SourceConfig, secretRefs } from '../connectors/sources/config.ts';
import { SecretError } from '../core/config/errors.ts';
import { redactTokens } from '../core/redaction.ts';
import { type CampaignConfig } from '../jobs/campaigns/config.ts';
import { aboutChannel, secretsOfChannel } from '../observe/notices/config.ts';
import type { LoadedConfig } from './load.ts';
import type { SecretPresence } from './secrets.ts';

export interface SecretState extends SecretPresence {
  readonly ref: string;
}

export interface ConfigSummary {
  readonly file: string;
  readonly accounts: readonly {
    readonly name: string;
    readonly baseUrl: string;
    readonly callsPerMinute: number;
    readonly tokens: readonly SecretState[];
  }[];
  readonly sources: readonly {
    readonly name: string;
    readonly type: string;
    /** File, table or address. */
    readonly path: string;
    /** Whether the file can be opened; databases and addresses are for `sluice doctor`. */
    readonly readable: boolean;
    readonly secrets: readonly SecretState[];
  }[];
  readonly mappings: readonly string[];
  readonly syncs: readonly {
    readonly name: string;
    readonly account: string;
    readonly source: string;
    readonly mapping: string;
  }[];
  readonly clusters: readonly {
    readonly name: string;
    readonly brokers: readonly string[];
    readonly secrets: readonly SecretState[];
  }[];
  readonly routes: readonly {
    readonly name: string;
    readonly account: string;
    readonly action: string;
    /** Ways in: a path, topics of a cluster. */
    readonly from: readonly string[];
    readonly secrets: readonly SecretState[];
  }[];
  readonly sinks: readonly {
    readonly name: string;
    readonly type: string;
    /** Topic, address, file or table. */
    readonly place: string;
    readonly secrets: readonly SecretState[];
  }[];
  readonly pollers: readonly {
    readonly name: string;
    readonly account: string;
    /** Null: all of them. */
    readonly connection: number | null;
    /** Sinks that receive its events. */
    readonly announce: readonly string[];
  }[];
  readonly campaigns: readonly {
    readonly name: string;
    readonly account: string;
    readonly flow: number | string;
    readonly connection: number;
    /** What each part of the audience is read from: cards, contacts, the name of a source, ledger. */
    readonly audience: readonly string[];
    /** Scheduled times. */
    readonly schedule: readonly string[];
    readonly notes: readonly string[];
  }[];
  readonly notices: readonly {
    readonly name: string;
    /** Kind of channel and host, in words. */
    readonly about: readonly string[];
    readonly secrets: readonly SecretState[];
  }[];
}

/** How to find out whether a secret is there. */
export type SecretCheck = (loaded: LoadedConfig, ref: string) => Promise<SecretPresence>;

/**
 * The content of a configuration, and whether its secrets and files exist. It contains no secret.
 * @param check reads every secret if left out
 */
export async function summarize(
  loaded: LoadedConfig,
  now = new Date(),
  check: SecretCheck = readSecret,
): Promise<ConfigSummary> {
  const secretState = async (ref: string): Promise<SecretState> => ({ ref, ...(await check(loaded, ref)) });
  const { accounts, sources, mappings, syncs, ingress, routes, sinks, pollers, campaigns, notices } =
    loaded.config;
  return {
    file: loaded.file,
    accounts: await Promise.all(
      Object.entries(accounts).map(async ([name, { baseUrl, callsPerMinute, tokens }]) => ({
        name,
        baseUrl: redactTokens(baseUrl),
        callsPerMinute,
        tokens: await Promise.all(tokens.map(secretState)),
      })),
    ),
    sources: await Promise.all(
      Object.entries(sources).map(async ([name, source]) => ({
        name,
        type: source.type,
        ...(await placeOf(source)),
        secrets: await Promise.all(secretRefs(source).map(secretState)),
      })),
    ),
    mappings: Object.keys(mappings),
    syncs: Object.entries(syncs).map(([name, { account, source, mapping }]) => ({
      name,
      account,
      source,
      mapping,
    })),
    clusters: await Promise.all(
      Object.entries(ingress.kafka).map(async ([name, { brokers, tls, sasl }]) => ({
        name,
        brokers,
        secrets:
          sasl === undefined
            ? []
            : [noteOf(await secretState(sasl.password), sasl.mechanism === 'plain' && !tls)],
      })),
    ),
    routes: await Promise.all(
      Object.entries(routes).map(async ([name, { account, action, http, kafka }]) => ({
        name,
        account,
        action: action.type,
        from: [
          ...(http === undefined ? [] : [`POST ${http.path}`]),
          ...(kafka === undefined ? [] : [`${kafka.topics.join(', ')} of ${kafka.cluster}`]),
        ],
        secrets: await Promise.all(
          (http === undefined || http.auth.type === 'none' ? [] : http.auth.secrets).map((ref) =>
            secretState(ref),
          ),
        ),
      })),
    ),
    sinks: await Promise.all(
      Object.entries(sinks).map(async ([name, sink]) => ({
        name,
        type: sink.type,
        place: placeOfSink(sink),
        secrets: await Promise.all(
          secretsOfSink(sink).map(async (ref) => noteOf(await secretState(ref), isPlain(sink))),
        ),
      })),
    ),
    pollers: Object.entries(pollers).map(([name, { account, connection = null }]) => ({
      name,
      account,
      connection,
      announce: [...new Set(accounts[account]?.announce.map(({ sink }) => sink))],
    })),
    campaigns: Object.entries(campaigns).map(([name, campaign]) => ({
      name,
      account: campaign.account,
      flow: campaign.flow,
      connection: campaign.connection,
      audience: campaign.audience.map((part) => (part.from === 'source' ? part.source : part.from)),
      schedule: [campaign.schedule?.cron ?? []].flat(),
      notes: notesOn(campaign, now),
    })),
    notices: await Promise.all(
      Object.entries(notices).map(async ([name, channel]) => ({
        name,
        about: aboutChannel(channel),
        secrets: await Promise.all([...secretsOfChannel(channel).values()].map(secretState)),
      })),
    ),
  };
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
