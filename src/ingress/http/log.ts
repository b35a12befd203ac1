// Log lines of the HTTP ingress: route, status, code and ids, never anything that a sender wrote.

/** The slice of a logger that is used here. */
export interface HttpLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** One line of a kind at once, then at most one in this time: a flood of refusals must not become one of lines. */
const QUIET_MS = 10_000;

export interface RepeatingLog {
  /** `repeated` in the line counts those that were left out since the one before. */
  warn(kind: string, fields: object, message: string): void;
}

/** @param now milliseconds, never going back. Kinds are few: routes times codes. */
export function createRepeatingLog(log: HttpLog, now: () => number): RepeatingLog {
  const kinds = new Map<string, { since: number; repeated: number }>();
  return {
    warn(kind, fields, message) {
      const last = kinds.get(kind);
      if (last !== undefined && now() - last.since < QUIET_MS) {
        last.repeated += 1;
        return;
      }
      const repeated = last?.repeated ?? 0;
      kinds.set(kind, { since: now(), repeated: 0 });
      log.warn(repeated > 0 ? { ...fields, repeated } : fields, message);
    },
  };
}
