// Records why partitions are paused. It logs the beginning and the end of each pause once, and keeps both for status
// and metrics.
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
  /** The reason in `NotAcceptedError`; `DEAD_LETTERS`: dead letters cannot be written; `ERROR`: an unexpected error. */
  readonly why: NotAcceptedError['why'] | 'DEAD_LETTERS' | 'ERROR';
  readonly reason: string;
  /** Time at which it began. */
  readonly since: Date;
}

export interface Place {
  readonly topic: string;
  readonly partition: number;
}

/** What a failure means for the partition. */
export interface Diagnosis extends Pick<Pause, 'why' | 'reason'> {
  /** When to retry, if the refusal says so. */
  readonly retryAfterMs: number | null;
  /**
   * For the log. An unexpected error is logged by kind and place only, because its message may contain values of a
   * record.
   */
  readonly details: object;
}

export function diagnose(error: unknown): Diagnosis {
  if (error instanceof NotAcceptedError) {
    const { why, message, retryAfterMs } = error;
    return { why, reason: message, retryAfterMs, details: {} };
  }
  if (error instanceof BuryError) {
    const { code, message } = describeKafkaError(error);
    const reason = `cannot write to the dead-letter topic: ${message}`;
    return { why: 'DEAD_LETTERS', reason, retryAfterMs: null, details: { code } };
  }
  const { name: kind, at } = errorShape(error);
  const reason = `an unexpected error (${kind}) at the next record`;
  return { why: 'ERROR', reason, retryAfterMs: null, details: { kind, at } };
}

export interface Pauses {
  begin(place: Place, offset: string, diagnosis: Diagnosis): void;
  /** The partition continues. Logs nothing if it was not paused. */
  end(place: Place): void;
  /** Another consumer has the partition now. */
  forget(place: Place): void;
  of(place: Place): Pause | null;
  all(): readonly (Place & Pause)[];
}

/** @param changed receives the beginning and the end of each pause */
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
      const message = `partition paused: ${reason}; retrying until it continues`;
      if (why === 'ERROR' || why === 'DEAD_LETTERS') log.error(fields, message);
      else log.warn(fields, message);
    },
    end(place) {
      const known = remove(place);
      if (known === null) return;
      const { topic, partition, why, since } = known;
      const stoodMs = Date.now() - since.getTime();
      log.info({ cluster, topic, partition, why, stoodMs }, 'partition continues');
    },
    forget: (place) => void remove(place),
    of: (place) => pauses.get(keyOf(place)) ?? null,
    all: () => [...pauses.values()],
  };
}

/** Topic names cannot contain "/". */
export function keyOf({ topic, partition }: Place): string {
  return `${topic}/${partition}`;
}
