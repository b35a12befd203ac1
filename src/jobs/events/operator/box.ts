// The dead letters of a Kafka cluster: which cluster, reading its topic, and errors of Kafka.

import { deadlineSignal } from '../../../core/deadline.ts';
import { OperatorError } from '../../../operator/error.ts';
import type { OverviewDeps } from '../../../operator/service/deps.ts';
import type { DeadLetterSummary } from '../contract/refusals.ts';
import type { IngressKafka } from '../ingress/config.ts';
import {
  type ClusterAccess,
  type DeadLetter,
  describeKafkaError,
  type FoundDeadLetter,
  fetchBounds,
  readDeadLetters,
  TooMuchError,
} from '../ingress/kafka/index.ts';

/** Kafka answers within this time, or counts as away. Joining a group takes 3 s with the default of brokers. */
const READ_MS = 120_000;
/** More than this is read again each time, because a list of them takes about 400 bytes each. */
const MAX_CACHED = 50_000;

export interface Box {
  readonly cluster: string;
  readonly config: IngressKafka;
  readonly access: ClusterAccess;
}

/** @throws OperatorError when there is no such cluster, or several and none is named */
export async function openBox(deps: OverviewDeps, wanted: string | undefined): Promise<Box> {
  const loaded = deps.config();
  const clusters = loaded.config.ingress.kafka;
  const names = Object.keys(clusters);
  const cluster = wanted ?? theOnly(names);
  const config = Object.hasOwn(clusters, cluster) ? clusters[cluster] : undefined;
  if (config === undefined)
    throw new OperatorError(
      'notFound',
      `there is no cluster "${cluster}" in ingress.kafka${names.length === 0 ? '' : `; there is ${names.join(', ')}`}`,
      { code: 'UNKNOWN_NAME' },
    );
  const secret = config.sasl === undefined ? null : await loaded.secret(config.sasl.password);
  const access = { connection: config, password: secret?.value, log: { debug: () => undefined } };
  return { cluster, config, access };
}

function theOnly(names: readonly string[]): string {
  const [only, ...others] = names;
  if (only === undefined)
    throw new OperatorError('notFound', 'no Kafka cluster is configured: there are no dead letters', {
      code: 'NO_KAFKA',
    });
  if (others.length > 0)
    throw new OperatorError('invalid', `name the cluster: --cluster ${names.join(' or --cluster ')}`, {
      code: 'CLUSTER',
    });
  return only;
}

export interface ReadOptions {
  readonly from?: { readonly partition: number; readonly offset: bigint };
  keepValue(deadLetter: DeadLetter): false | 'open' | 'always';
}

/** Reads the topic from its beginning, or from a place on. @throws OperatorError */
export async function readBox(
  { access, config }: Box,
  { from, keepValue }: ReadOptions,
): Promise<FoundDeadLetter[]> {
  try {
    return await readDeadLetters({
      access,
      topic: config.deadLetters,
      group: config.group,
      from,
      keepValue,
      progress: () => undefined,
      signal: deadlineSignal(READ_MS),
    });
  } catch (error) {
    if (error instanceof TooMuchError)
      throw new OperatorError('invalid', `${error.message}, by --since, --code or ids`, {
        code: 'TOO_MUCH',
        cause: error,
      });
    throw kafkaFailure(error, topicOf(config));
  }
}

const topicOf = ({ deadLetters, brokers }: IngressKafka) => `topic "${deadLetters}" on ${brokers.join(', ')}`;

/** An error of Kafka as a refusal that names its code. */
export function kafkaFailure(error: unknown, what: string): OperatorError {
  if (error instanceof OperatorError) return error;
  const { code, message } = describeKafkaError(error);
  return new OperatorError(kindOf(code), `${what}: ${message} (${code})`, { code, cause: error });
}

function kindOf(code: string): OperatorError['kind'] {
  if (code === 'UNKNOWN_TOPIC_OR_PARTITION') return 'notFound';
  if (/_AUTHORIZATION_FAILED$|^SASL_|^UNSUPPORTED_SASL/.test(code)) return 'forbidden';
  return 'unavailable';
}

/** The place of a dead letter in its topic. */
export function placeOf(id: string): { readonly partition: number; readonly offset: bigint } {
  const [partition = '', offset = ''] = id.split('-', 2);
  return { partition: Number(partition), offset: BigInt(offset) };
}

export interface Listed {
  readonly deadLetters: readonly DeadLetterSummary[];
  readonly readAt: string;
}

/**
 * Lists dead letters without reading a topic again that nobody has written to: reading takes seconds, its bounds take
 * milliseconds.
 */
export function createListings() {
  const cached = new Map<string, Listed & { readonly bounds: string }>();

  async function boundsOf({ access, config }: Box): Promise<string> {
    try {
      const bounds = await fetchBounds(access, [config.deadLetters]);
      return [...bounds].map(([key, { low, high }]) => `${key}:${low}-${high}`).join(' ');
    } catch (error) {
      throw kafkaFailure(error, topicOf(config));
    }
  }

  return async (box: Box): Promise<Listed> => {
    const bounds = await boundsOf(box);
    const known = cached.get(box.cluster);
    if (known?.bounds === bounds) return known;
    const found = await readBox(box, { keepValue: () => false });
    const listed = { deadLetters: found.map(summaryOf), readAt: new Date().toISOString(), bounds };
    if (found.length <= MAX_CACHED) cached.set(box.cluster, listed);
    else cached.delete(box.cluster);
    return listed;
  };
}

export function summaryOf(found: FoundDeadLetter): DeadLetterSummary {
  const { id, failedAt, route, code, reason, origin, resolution } = found;
  return { id, failedAt, route, code, reason, origin, resolution };
}
