// Why a run stands still.
export default {
  blocked: 'Bloqueada às {{at}}:',
  blockedAgain: 'Retomada por {{by}} às {{resumed}} e bloqueada de novo às {{at}} pelo mesmo motivo:',
  pausedBy: 'Pausada por {{by}}: {{reason}}',
  noReason: 'sem motivo informado',
};
