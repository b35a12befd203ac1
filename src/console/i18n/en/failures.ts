// What failed in the last day, when somebody has it counted.
export default {
  since: 'Since {{since}}: the full hours of the last day.',
  none: 'Nothing failed.',
  more: 'There are more. `sluice failures` lists all of them.',
  repaired_one: '{{shown}} more failure was made good by a later attempt or a correction.',
  repaired_other: '{{shown}} more failures were made good by a later attempt or a correction.',
  retried_one: '{{shown}} call that failed was repeated with success.',
  retried_other: '{{shown}} calls that failed were repeated with success.',
  run: 'run {{run}}, {{at}}',
  kind: {
    run: 'Runs that failed',
    record: 'Records of syncs',
    row: 'Rejected rows',
    member: 'Members of campaigns',
    event: 'Events',
    refusal: 'Refused requests',
    'dead letter': 'Dead letters of Kafka',
    outbox: 'Events out that were given up',
    poller: 'Gaps of pollers',
    call: 'Other API calls',
  },
} as const;
