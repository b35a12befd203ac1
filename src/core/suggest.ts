// "Did you mean": the known name nearest to a mistyped one.

/**
 * The nearest of `known`, if it is near enough: one typing error in short words, about one in three letters in long
 * ones.
 */
export function nearest(wanted: string, known: readonly string[]): string | undefined {
  const limit = Math.max(1, Math.floor(Math.max(wanted.length, 3) / 3));
  let best: string | undefined;
  let bestDistance = limit + 1;
  for (const candidate of known) {
    if (Math.abs(candidate.length - wanted.length) >= bestDistance) continue;
    const distance = editDistance(wanted.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** `did you mean "acme"?`, or the list of what there is. */
export function suggestion(wanted: string, known: readonly string[], plural: string): string {
  const near = nearest(wanted, known);
  if (near !== undefined) return `did you mean "${near}"?`;
  if (known.length === 0) return `the file has no ${plural}`;
  const shown = known.slice(0, 20).join(', ');
  return `${plural}: ${shown}${known.length > 20 ? `, and ${known.length - 20} more` : ''}`;
}

/** Edits (insert, delete, replace, swap of neighbours) between two words: optimal string alignment. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min(row[j - 1]! + 1, last[j]! + 1, last[j - 1]! + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        best = Math.min(best, beforeLast[j - 2]! + 1);
      }
      row.push(best);
    }
    [beforeLast, last] = [last, row];
  }
  return last[b.length]!;
}
