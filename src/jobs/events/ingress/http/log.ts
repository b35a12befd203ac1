// Log lines of the HTTP ingress: route, status, code and ids. They never contain what a sender wrote.

/** The part of a logger that this folder uses. */
export interface HttpLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** One line per kind at once, then at most one in this time, so that a flood of refusals does not flood the log. */
const QUIET_MS = 10_000;

export interface RepeatingLog {
  /** `repeated` counts the lines omitted since the previous one. */
  warn(kind: string, fields: object, message: string): void;
}

/** @param now milliseconds of a monotonic clock. Kinds are few: routes times codes. */
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
