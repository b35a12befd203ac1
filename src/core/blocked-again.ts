// Whether a resume was in vain: the refusal that paused the run pauses it again.

/** The last resume of a run. */
export interface LastResume {
  readonly by: string;
  /** ISO 8601. */
  readonly at: string;
  /** Code of the pause that it ended; undefined if that was a person's. */
  readonly code: string | undefined;
}

/** The resume that the same refusal has ended; undefined if there is none. */
export function resumeInVain(
  code: string | undefined,
  last: LastResume | null,
): Pick<LastResume, 'by' | 'at'> | undefined {
  if (code === undefined || last?.code !== code) return undefined;
  return { by: last.by, at: last.at };
}
