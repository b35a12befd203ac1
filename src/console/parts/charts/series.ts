// What a chart over time is given.

export interface Series {
  readonly name: string;
  /** One value per time; null: none was measured. */
  readonly values: readonly (number | null)[];
  /** Color: 1 to 5, what went wrong, or the dashed line of a limit. */
  readonly color: 1 | 2 | 3 | 4 | 5 | 'limited' | 'failed' | 'limit';
}

export interface TimeChartProps {
  /** What it shows, for a screen reader. */
  readonly label: string;
  /** ISO 8601, ascending. */
  readonly times: readonly string[];
  /** Drawn on top of each other when `stacked`. A limit is never stacked. */
  readonly series: readonly Series[];
  readonly stacked?: boolean;
  /** Area between two series by their index, such as earliest and latest plan. */
  readonly band?: readonly [upper: number, lower: number];
  readonly height?: number;
}
