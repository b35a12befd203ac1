// What the commands for dead letters share: the cluster, the dead letters, and exit codes of Kafka's errors.
import { type Command, InvalidArgumentError } from 'commander';
import type { LoadedConfig } from '../../config/index.ts';
import type { IngressKafka } from '../../contracts/config/config.ts';
import { Duration, durationMs } from '../../contracts/config/config-base.ts';
import {
  type ClusterAccess,
  type DeadLetter,
  describeKafkaError,
  type FoundDeadLetter,
  readDeadLetters,
  TooMuchError,
} from '../../ingress/kafka/index.ts';
import { createLogger } from '../../observability/logger.ts';
import { collect, integer } from '../lib/arguments.ts';
import { CliError, EXIT } from '../lib/exit.ts';
import { createProgress } from '../lib/progress.ts';
import { openConfig, withConfig } from '../lib/session.ts';

export interface BoxOptions {
  readonly config?: string;
  readonly cluster?: string;
}

export interface FilterOptions {
  readonly route?: string;
  readonly code: readonly string[];
  readonly since?: Date;
  readonly limit?: number;
}

export function withBoxOptions(command: Command): Command {
  return withConfig(command).option('--cluster <name>', 'name from `ingress.kafka` (default: the only one)');
}

export function withFilterOptions(command: Command): Command {
  return command
    .option('--route <name>', 'only dead letters of this route')
    .option('--code <code>', 'only dead letters with this code; repeatable', collect, [])
    .option(
      '--since <when>',
      'only dead letters since this time: an ISO time, or a duration such as 2h or 3d',
      since,
    )
    .option('--limit <count>', 'maximum number of entries', integer({ min: 1 }));
}

function since(text: string): Date {
  if (Duration.safeParse(text).success) return new Date(Date.now() - durationMs(text));
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time))
    throw new InvalidArgumentError('write an ISO time (2026-11-20T10:00:00Z) or a span (30m, 2h, 3d).');
  return new Date(time);
}

export function matches(deadLetter: DeadLetter, { route, code, since }: FilterOptions): boolean {
  if (route !== undefined && deadLetter.route !== route) return false;
  if (code.length > 0 && !code.includes(deadLetter.code)) return false;
  return since === undefined || Date.parse(deadLetter.failedAt) >= since.getTime();
}

export interface Box {
  readonly cluster: string;
  readonly config: IngressKafka;
  readonly access: ClusterAccess;
  readonly loaded: LoadedConfig;
}

export async function openBox(options: BoxOptions, env: NodeJS.ProcessEnv): Promise<Box> {
  const loaded = await openConfig(options.config, env);
  const clusters = loaded.config.ingress.kafka;
  const cluster = options.cluster ?? theOnly(Object.keys(clusters));
  const config = clusters[cluster];
  if (config === undefined)
    throw new CliError(EXIT.notFound, `there is no cluster "${cluster}" in ingress.kafka${listed(clusters)}`);
  const secret = config.sasl === undefined ? null : await loaded.secret(config.sasl.password);
  const log = createLogger({ level: env.SLUICE_LOG_LEVEL || 'warn' });
  const access = { connection: config, password: secret?.value, log };
  return { cluster, config, access, loaded };
}

function theOnly(names: readonly string[]): string {
  const [only, ...others] = names;
  if (only === undefined)
    throw new CliError(EXIT.notFound, 'no Kafka cluster is configured: there are no dead letters');
  if (others.length > 0)
    throw new CliError(EXIT.usage, `name the cluster: --cluster ${names.join(' or --cluster ')}`);
  return only;
}

function listed(clusters: Readonly<Record<string, unknown>>): string {
  const names = Object.keys(clusters);
  return names.length === 0 ? '' : `; there is ${names.join(', ')}`;
}

export interface ReadOptions {
  readonly from?: { readonly partition: number; readonly offset: bigint };
  keepValue(deadLetter: DeadLetter): false | 'open' | 'always';
  readonly signal: AbortSignal;
}

/** Reads the dead letters with progress on stderr. @throws CliError */
export async function readBox(
  box: Box,
  { from, keepValue, signal }: ReadOptions,
): Promise<FoundDeadLetter[]> {
  const { access, config, cluster } = box;
  const progress = createProgress(process.stderr, { label: `dead letters of ${cluster}`, unit: 'record' });
  try {
    return await readDeadLetters({
      access,
      topic: config.deadLetters,
      group: config.group,
      ...(from === undefined ? {} : { from }),
      keepValue,
      progress: (done, total) => progress.update({ done, total }),
      signal,
    });
  } catch (error) {
    if (error instanceof TooMuchError)
      throw new CliError(EXIT.usage, `${error.message}, by --since, --code or ids`, { cause: error });
    throw kafkaFailure(error, `topic "${config.deadLetters}" on ${config.brokers.join(', ')}`);
  } finally {
    progress.finish();
  }
}

/** Turns an error of Kafka into one that ends a command. */
export function kafkaFailure(error: unknown, what: string): CliError {
  if (error instanceof CliError) return error;
  const { code, message } = describeKafkaError(error);
  return new CliError(exitCodeOf(code), `${what}: ${message} (${code})`, { cause: error });
}

function exitCodeOf(code: string): number {
  if (code === 'UNKNOWN_TOPIC_OR_PARTITION') return EXIT.notFound;
  if (/_AUTHORIZATION_FAILED$|^SASL_|^UNSUPPORTED_SASL/.test(code)) return EXIT.auth;
  return EXIT.unavailable;
}

/** @throws CliError (usage) when it is not an id */
export function parseId(id: string): { readonly partition: number; readonly offset: bigint } {
  const [, partition, offset] = /^(\d{1,9})-(\d{1,18})$/.exec(id) ?? [];
  if (partition === undefined || offset === undefined)
    throw new CliError(
      EXIT.usage,
      `"${id}" is no id of a dead letter: ids look like 0-17, as \`sluice dlq list\` prints them`,
    );
  return { partition: Number(partition), offset: BigInt(offset) };
}
