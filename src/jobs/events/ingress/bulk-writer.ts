// Writes in bulk what requests leave behind, away from them: a while after the first one, and at the end.

export interface BulkWriter {
  /** There is something to write. */
  wake(): void;
  /** Writes what is not written yet. */
  close(): Promise<void>;
}

/** @param write takes what waits, and never rejects; two calls never overlap */
export function createBulkWriter(write: () => Promise<void>, flushMs: number): BulkWriter {
  let timer: NodeJS.Timeout | null = null;
  let writing: Promise<void> = Promise.resolve();

  function flush(): Promise<void> {
    timer = null;
    writing = writing.then(write);
    return writing;
  }

  return {
    wake() {
      timer ??= setTimeout(() => void flush(), flushMs).unref();
    },
    async close() {
      if (timer !== null) clearTimeout(timer);
      await flush();
    },
  };
}
