// Figures in the reasons that campaigns give.

const count = new Intl.NumberFormat('en-US');
const share = new Intl.NumberFormat('en-US', { style: 'percent', maximumFractionDigits: 1 });

/** 12345 → `12,345`. */
export function plainNumber(n: number): string {
  return count.format(n);
}

/** 0.125 → `12.5%`. */
export function percent(part: number): string {
  return share.format(part);
}
