// What the figures of a campaign tell about deliveries.

/**
 * Whether anything is known about deliveries: some were reported, or nobody was triggered. Otherwise `delivered` and `read`
 * are unknown, not 0.
 */
export function areDeliveriesKnown({
  triggered,
  delivered,
  read,
}: Readonly<Record<'triggered' | 'delivered' | 'read', number>>): boolean {
  return triggered === 0 || delivered + read > 0;
}
