// Priority of calls: what spends the budget, who waits for it, and what lanes are.
export default {
  spending: {
    title: 'What spends the budget',
    about: 'Calls in the period of the chart, the largest first. The priority of a sync can be changed here.',
    what: 'What',
    calls: 'Calls',
    share: 'Share',
    lane: 'Priority',
    none: 'No calls in this period',
    more: 'These are the {{shown}} largest.',
    kind: {
      sync: 'sync · {{account}}',
      campaign: 'campaign · {{account}}',
      poller: 'poller · {{account}}',
      route: 'event route · {{account}}',
      delivery: 'delivery checks · {{account}}',
      command: 'lists and messages read on request · {{account}}',
      preview: 'campaign forms · {{account}}',
      other: 'other · {{account}}',
    },
    /** Sluice's own work, which nobody gave a name. */
    own: {
      command: 'Commands of operators',
      preview: 'Previews of audiences',
    },
  },
  waiting: {
    title: 'Waiting work',
    about:
      'In line for the calls of each account: by priority, then by age. Work of one priority takes turns. Times are at the pace of the last 10 minutes.',
    place: 'Line',
    stands: 'stands still',
    none: 'Nothing waits',
    what: 'What',
    count: 'Waiting',
    eta: 'Done in',
    estimated: '≈ {{shown}}',
    waitsFor: { worker: 'waits for a worker', service: 'waits for the service' },
    kind: {
      records: 'records',
      members: 'members',
      events: 'events',
      conversations: 'conversations',
      outbox: 'events out',
    },
  },
  /** A lane says whose calls go first when the limit of a token does not serve everybody at once. */
  means: {
    reply: 'Answers to people who wrote. These calls go first.',
    lead: 'New leads. These calls go right after answers, before polling and campaigns.',
    poll: 'Checks for new conversations. These calls go before campaigns and bulk work.',
    campaign: 'Triggers of campaigns. These calls go after answers, leads and polling.',
    backfill: 'Bulk work that can wait. These calls go last.',
  },
  set: {
    label: 'Priority of {{sync}}',
    about:
      'Who goes first when the budget is short. It counts from the next run of the sync on; a run under way keeps its own.',
    save: 'Save priority',
    keep: 'Keep',
    order: {
      before: 'Goes first: {{work}}.',
      beforeNone: 'Nothing of this account goes first.',
      beside: 'Takes turns with it: {{work}}.',
      besideNone: 'Nothing of this account takes turns with it.',
      after: 'Goes after it: {{work}}.',
      afterNone: 'Nothing of this account goes after it.',
    },
    work: {
      sync: 'sync {{name}}',
      campaign: 'campaign {{name}}',
      poller: 'poller {{name}}',
      route: 'event route {{name}}',
    },
    lead: 'Before polling and campaigns',
    backfill: 'After everything else',
    done: '{{sync}}: the new priority counts from its next run on',
    running: 'The run under way keeps its own: {{lane}}',
    doneElsewhere: '{{sync}}: written. Workers use it once they have loaded the configuration',
  },
} as const;
