// Why a run stands still.
export default {
  blocked: 'Blocked at {{at}}:',
  blockedAgain: 'Resumed by {{by}} at {{resumed}}, and blocked again at {{at}} for the same reason:',
  pausedBy: 'Paused by {{by}}: {{reason}}',
  noReason: 'no reason given',
};
