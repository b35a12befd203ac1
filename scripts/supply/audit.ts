// Decides what an answer of `npm audit --json` means for what ships.
import { z } from 'zod';

const Advisory = z.object({
  title: z.string(),
  url: z.string(),
  severity: z.string(),
  range: z.string(),
});
/** What npm prints when the service answered. */
export const AuditReport = z.object({
  auditReportVersion: z.literal(2),
  vulnerabilities: z.record(
    z.string(),
    z.object({
      // A text names another package that has the advisory.
      via: z.array(z.union([z.string(), Advisory])),
      nodes: z.array(z.string()),
    }),
  ),
});
export type AuditReport = z.infer<typeof AuditReport>;

const day = z.iso.date();
/** A review that accepts an advisory for a time. */
export const Reviews = z.strictObject({
  why: z.string(),
  reviews: z.array(
    z.strictObject({
      advisory: z.string().startsWith('GHSA-'),
      package: z.string(),
      reason: z.string().min(20),
      reviewed: day,
      until: day,
    }),
  ),
});
export type Reviews = z.infer<typeof Reviews>;

export interface Finding {
  /** Id, for example GHSA-abcd-efgh-ijkl. */
  readonly advisory: string;
  readonly package: string;
  readonly severity: string;
  readonly title: string;
  readonly range: string;
  readonly shipped: boolean;
  /** `fails`: high or critical, shipped, and no review accepts it. */
  readonly verdict: 'fails' | 'reviewed' | 'noted';
  /** Day on which a review ended or will end. */
  readonly until?: string;
}

/** Longest time that a review may accept an advisory. */
const MAX_REVIEW_DAYS = 90;
const FAILING = new Set(['high', 'critical']);
const DAY_MS = 86_400_000;

/**
 * @param shipped paths in the lock file
 * @param today for example 2026-11-23; a review counts on its last day
 */
export function judge(
  { vulnerabilities }: AuditReport,
  { reviews }: Reviews,
  shipped: ReadonlySet<string>,
  today: string,
): Finding[] {
  return Object.entries(vulnerabilities).flatMap(([name, { via, nodes }]) => {
    const ships = nodes.some((path) => shipped.has(path));
    return via.flatMap((source) => {
      if (typeof source === 'string') return [];
      const advisory = source.url.slice(source.url.lastIndexOf('/') + 1);
      const review = reviews.find((entry) => entry.advisory === advisory && entry.package === name);
      const accepted = review !== undefined && today <= review.until;
      const fails = ships && FAILING.has(source.severity) && !accepted;
      const finding: Finding = {
        advisory,
        package: name,
        severity: source.severity,
        title: source.title,
        range: source.range,
        shipped: ships,
        verdict: fails ? 'fails' : accepted ? 'reviewed' : 'noted',
      };
      return [review === undefined ? finding : { ...finding, until: review.until }];
    });
  });
}

/** What is wrong with the list itself: reviews that are too long, or of nothing that npm reports. */
export function staleReviews({ reviews }: Reviews, findings: readonly Finding[] | null): string[] {
  return reviews.flatMap((review) => {
    const days = (Date.parse(review.until) - Date.parse(review.reviewed)) / DAY_MS;
    const label = `${review.advisory} (${review.package})`;
    if (!(days >= 0 && days <= MAX_REVIEW_DAYS))
      return [`${label}: a review lasts at most ${MAX_REVIEW_DAYS} days, this one lasts ${days}`];
    const found = findings?.some(
      ({ advisory, package: name }) => advisory === review.advisory && name === review.package,
    );
    return found === false ? [`${label}: nothing has this advisory; remove the review`] : [];
  });
}
