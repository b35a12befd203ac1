// Quem pode aprovar um plano.
export default {
  own: 'Você fez este plano, ou aquilo de que ele é feito. Outra pessoa precisa aprovar.',
  role: 'Para aprovar, você precisa do papel {{role}}.',
  unlinked:
    'Você ou quem fez o plano é um usuário Unix que não pertence a nenhum usuário do Sluice. Um administrador faz a ligação em Configurações, Usuários.',
  wait: 'Você pode aprovar a partir de {{at}}. Até lá, você e quem fez o plano podem ser a mesma pessoa.',
  who: 'Estes usuários podem aprovar: {{names}}.',
  nobody:
    'Nenhum usuário pode aprovar. Um administrador adiciona um com o papel Aprovador em Configurações, Usuários.',
  nobodyUntil: 'Nenhum usuário pode aprovar antes de {{at}}.',
  moment: '{{at}} {{zone}}',
  more_one: '{{names}} e mais {{count}}',
  more_many: '{{names}} e mais {{count}}',
  more_other: '{{names}} e mais {{count}}',
} as const;
