// Why partitions stand still: said in the log once when it begins and once when it ends, and kept for status and metrics.
import { errorShape } from '../error-shape.ts';
import { NotAcceptedError } from '../intake.ts';
import { BuryError } from './chunk.ts';
import { describeKafkaError } from './errors.ts';

export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface Pause {
  /** That of `NotAcceptedError`; `DEAD_LETTERS`: they can't be written; `ERROR`: something nobody expected. */
  readonly why: NotAcceptedError['why'] | 'DEAD_LETTERS' | 'ERROR';
  readonly reason: string;
  /** When it began. */
  readonly since: Date;
}

export interface Place {
  readonly topic: string;
  readonly partition: number;
}

/** What a failure means for the partition. */
export interface Diagnosis extends Pick<Pause, 'why' | 'reason'> {
  /** When to try again, where who refused has said so. */
  readonly retryAfterMs: number | null;
  /** For the log: an unexpected error by kind and place alone, as its message may hold values of a record. */
  readonly details: object;
}

export function diagnose(error: unknown): Diagnosis {
  if (error instanceof NotAcceptedError) {
    const { why, message, retryAfterMs } = error;
    return { why, reason: message, retryAfterMs, details: {} };
  }
  if (error instanceof BuryError) {
    const { code, message } = describeKafkaError(error);
    const reason = `the topic of dead letters can't be written: ${message}`;
    return { why: 'DEAD_LETTERS', reason, retryAfterMs: null, details: { code } };
  }
  const { name: kind, at } = errorShape(error);
  const reason = `an unexpected error (${kind}) at the next record`;
  return { why: 'ERROR', reason, retryAfterMs: null, details: { kind, at } };
}

export interface Pauses {
  begin(place: Place, offset: string, diagnosis: Diagnosis): void;
  /** The partition goes on; nothing is said where it had not stopped. */
  end(place: Place): void;
  /** Somebody else has the partition now. */
  forget(place: Place): void;
  of(place: Place): Pause | null;
  all(): readonly (Place & Pause)[];
}

/** @param changed hears of the beginning and the end of each */
export function createPauses(
  cluster: string,
  log: Log,
  changed: (place: Place, pause: Pause, is: boolean) => void,
): Pauses {
  const pauses = new Map<string, Place & Pause>();
  const remove = (place: Place) => {
    const known = pauses.get(keyOf(place));
    if (known === undefined) return null;
    pauses.delete(keyOf(place));
    changed(known, known, false);
    return known;
  };
  return {
    begin({ topic, partition }, offset, { why, reason, details }) {
      const known = pauses.get(keyOf({ topic, partition }));
      if (known?.why === why) return;
      const since = remove({ topic, partition })?.since ?? new Date();
      const pause = { topic, partition, why, reason, since };
      pauses.set(keyOf(pause), pause);
      changed(pause, pause, true);
      const fields = { cluster, topic, partition, offset: Number(offset), why, ...details };
      const message = `partition stopped: ${reason}; it is tried again until it goes on`;
      if (why === 'ERROR' || why === 'DEAD_LETTERS') log.error(fields, message);
      else log.warn(fields, message);
    },
    end(place) {
      const known = remove(place);
      if (known === null) return;
      const { topic, partition, why, since } = known;
      const stoodMs = Date.now() - since.getTime();
      log.info({ cluster, topic, partition, why, stoodMs }, 'partition goes on');
    },
    forget: (place) => void remove(place),
    of: (place) => pauses.get(keyOf(place)) ?? null,
    all: () => [...pauses.values()],
  };
}

/** "/" is in no name of a topic. */
export function keyOf({ topic, partition }: Place): string {
  return `${topic}/${partition}`;
}
