// What is reported of finished work, for metrics. An activity that Temporal repeats reports again, so the numbers
// show trends; the ledger has the exact ones.

export interface Outcomes {
  /** A run of a sync ended, with these numbers of records by outcome. */
  runEnded(
    run: { readonly account: string; readonly sync: string; readonly status: string },
    records: Readonly<Record<string, number>>,
  ): void;
  eventEnded(event: {
    readonly account: string;
    readonly route: string;
    /** As of `EVENT_OUTCOMES`. */
    readonly outcome: string;
  }): void;
  /** A run of a campaign ended. */
  campaignEnded(run: {
    readonly account: string;
    readonly campaign: string;
    readonly status: 'finished' | 'cancelled';
  }): void;
  /** @param member its outcome is triggered, skipped, failed or unknown, as the states of members */
  memberEnded(member: {
    readonly account: string;
    readonly campaign: string;
    readonly outcome: string;
  }): void;
  /** Messages that a sink accepted, or that are dead after their last attempt. */
  outboxSettled(sink: string, outcome: 'sent' | 'dead', count: number): void;
}
