interface Stackable {
  readonly values: readonly (number | null)[];
  readonly color: unknown;
}

/** Sums each series with those before it, so that areas stand on each other. A limit stays as it is. */
export function stackValues(series: readonly Stackable[]): (number | null)[][] {
  const sums: number[] = [];
  return series.map(({ values, color }) => {
    if (color === 'limit') return [...values];
    return values.map((value, index) => {
      sums[index] = (sums[index] ?? 0) + (value ?? 0);
      return sums[index] ?? null;
    });
  });
}
