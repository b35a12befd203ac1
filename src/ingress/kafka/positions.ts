// Where reading of a partition begins, and whether records are gone that nobody has read.
import type { IngressKafka } from '../../contracts/config/config.ts';
import { ask, type ClusterAccess } from './client.ts';
import { keyOf, type Log, type Place } from './pauses.ts';

/** Records that were deleted before they were read. */
export interface Gap extends Place {
  /** Offset that was next. */
  readonly from: string;
  /** First offset that is there. */
  readonly to: string;
  /** Offsets between; null where the topic was made anew, and nobody knows. */
  readonly count: number | null;
  readonly at: Date;
}

export interface Bounds {
  /** First offset that is there. */
  readonly low: bigint;
  /** Offset that the next record gets. */
  readonly high: bigint;
}

export interface Start {
  readonly position: bigint;
  /** The group does not know it yet. A start that is not written down moves on while nobody reads, and what it passes is lost. */
  readonly commit: boolean;
  /** Next offset where records before `position` are missing. */
  readonly missedFrom: bigint | null;
}

/** What kafkajs commits when it gives up an offset that is out of range, in place of an offset. */
const EARLIEST = -2n;

export function startOf(committed: bigint, { low, high }: Bounds, from: IngressKafka['from']): Start {
  if (committed === EARLIEST) return { position: low, commit: true, missedFrom: null };
  if (committed < 0n) return { position: from === 'latest' ? high : low, commit: true, missedFrom: null };
  // Below: retention was quicker. Above: the topic is another one under the same name.
  if (committed < low || committed > high) return { position: low, commit: true, missedFrom: committed };
  return { position: committed, commit: false, missedFrom: null };
}

/** Offsets of the partitions of these topics, by `keyOf`. @throws what kafkajs throws */
export async function fetchBounds(
  access: ClusterAccess,
  topics: readonly string[],
): Promise<Map<string, Bounds>> {
  return await ask(access, async (admin) => {
    const bounds = new Map<string, Bounds>();
    for (const topic of topics) {
      for (const { partition, low, high } of await admin.fetchTopicOffsets(topic))
        bounds.set(keyOf({ topic, partition }), { low: BigInt(low), high: BigInt(high) });
    }
    return bounds;
  });
}

/** Offsets that the group has committed, by `keyOf`; -1 where it has none. @throws what kafkajs throws */
export async function fetchCommitted(
  access: ClusterAccess,
  groupId: string,
  topics: readonly string[],
): Promise<Map<string, bigint>> {
  return await ask(access, async (admin) => {
    const all = await admin.fetchOffsets({ groupId, topics: [...topics] });
    return new Map(
      all.flatMap(({ topic, partitions }) =>
        partitions.map(({ partition, offset }) => [keyOf({ topic, partition }), BigInt(offset)] as const),
      ),
    );
  });
}

const KEPT = 100;

export interface Gaps {
  report(place: Place, from: bigint, to: bigint): void;
  all(): readonly Gap[];
}

/** Tells of each gap, and keeps the last hundred. */
export function createGaps(cluster: string, log: Log, count: (gap: Gap) => void): Gaps {
  const gaps: Gap[] = [];
  return {
    report({ topic, partition }, from, to) {
      const missed = to > from ? Number(to - from) : null;
      const gap = { topic, partition, from: String(from), to: String(to), count: missed, at: new Date() };
      gaps.push(gap);
      if (gaps.length > KEPT) gaps.shift();
      count(gap);
      const fields = {
        cluster,
        topic,
        partition,
        fromOffset: Number(from),
        toOffset: Number(to),
        count: missed,
      };
      log.error(
        fields,
        missed === null
          ? 'the next offset is beyond the end of the topic: it was made anew or cut off; reading goes on at its beginning'
          : 'records were deleted before they were read: the topic keeps them too short, or reading was stopped too long; it goes on at the first that is there',
      );
    },
    all: () => gaps,
  };
}
