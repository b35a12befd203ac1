// Decides where reading of a partition begins, and detects records that were deleted before Sluice read them.
import type { IngressKafka } from '../config.ts';
import { ask, type ClusterAccess } from './client.ts';
import { keyOf, type Log, type Place } from './pauses.ts';

/** Records that were deleted before Sluice read them. */
export interface Gap extends Place {
  /** Next offset to read. */
  readonly from: string;
  /** First offset that exists. */
  readonly to: string;
  /** Number of offsets between. Null if the topic was created again, because the number is then unknown. */
  readonly count: number | null;
  readonly at: Date;
}

export interface Bounds {
  /** First offset that exists. */
  readonly low: bigint;
  /** Offset that the next record gets. */
  readonly high: bigint;
}

export interface Start {
  readonly position: bigint;
  /**
   * The group does not know this start yet. An uncommitted start moves on while nobody reads, and the records that it
   * passes are lost.
   */
  readonly commit: boolean;
  /** Next offset, if records before `position` are missing. */
  readonly missedFrom: bigint | null;
}

/** What kafkajs commits instead of an offset when an offset is out of range. */
const EARLIEST = -2n;

export function startOf(committed: bigint, { low, high }: Bounds, from: IngressKafka['from']): Start {
  if (committed === EARLIEST) return { position: low, commit: true, missedFrom: null };
  if (committed < 0n) return { position: from === 'latest' ? high : low, commit: true, missedFrom: null };
  // Below: retention was faster. Above: another topic has the same name now.
  if (committed < low || committed > high) return { position: low, commit: true, missedFrom: committed };
  return { position: committed, commit: false, missedFrom: null };
}

/** Returns the offsets of the partitions of these topics, by `keyOf`. @throws what kafkajs throws */
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

/** Returns the committed offsets of the group, by `keyOf`; -1 if there is none. @throws what kafkajs throws */
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

/** Logs each gap and keeps the last hundred. */
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
          ? 'the next offset is beyond the end of the topic, which was created again or truncated; reading continues at its beginning'
          : 'records were deleted before Sluice read them; retention of the topic is too short, or reading stopped for too long; it continues at the first existing record',
      );
    },
    all: () => gaps,
  };
}
