// Who may approve a plan.
export default {
  own: 'You made this plan, or what it is made of. Another person must approve it.',
  role: 'To approve it you need the role {{role}}.',
  unlinked:
    'You or the author are a Unix user that belongs to no user of Sluice. An admin links it in Settings, Users.',
  wait: 'You may approve it from {{at}}. Until then one person may be behind you and its author.',
  who: 'These users may approve it: {{names}}.',
  nobody: 'No user may approve it. An admin adds one with the role Approver in Settings, Users.',
  nobodyUntil: 'No user may approve it before {{at}}.',
  moment: '{{at}} {{zone}}',
  more_one: '{{names}} and {{count}} more',
  more_other: '{{names}} and {{count}} more',
} as const;
