// Runs work on many items in parallel, but on items of one subject one after another, in the given order.

/**
 * @param limit number of items in parallel
 * @returns the items that succeeded, and the first error; after an error no further item starts
 */
export async function eachInOrder<T>(
  things: readonly T[],
  subjectOf: (thing: T) => string,
  limit: number,
  work: (thing: T) => Promise<void>,
): Promise<{ readonly done: T[]; readonly failure: { readonly error: unknown } | null }> {
  const done: T[] = [];
  let failure: { error: unknown } | null = null;
  const queues = new Map<string, T[]>();
  for (const thing of things) {
    const subject = subjectOf(thing);
    const queue = queues.get(subject);
    if (queue === undefined) queues.set(subject, [thing]);
    else queue.push(thing);
  }
  const waiting = queues.values();
  const runner = async () => {
    for (const queue of waiting) {
      for (const thing of queue) {
        if (failure !== null) return;
        try {
          await work(thing);
          done.push(thing);
        } catch (error) {
          failure ??= { error };
        }
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, queues.size) }, runner));
  return { done, failure };
}
