// Priority of calls: what spends the budget, who waits for it, and what lanes are.
export default {
  spending: {
    title: 'O que consome o limite',
    about:
      'Chamadas no período do gráfico, as maiores primeiro. A prioridade de uma sincronização pode ser mudada aqui.',
    what: 'O quê',
    calls: 'Chamadas',
    share: 'Parte',
    lane: 'Prioridade',
    none: 'Nenhuma chamada neste período',
    more: 'Estes são os {{shown}} maiores.',
    kind: {
      sync: 'sincronização · {{account}}',
      campaign: 'campanha · {{account}}',
      poller: 'consulta · {{account}}',
      route: 'rota de eventos · {{account}}',
      delivery: 'verificação de entrega · {{account}}',
      command: 'listas e mensagens lidas a pedido · {{account}}',
      preview: 'formulários de campanha · {{account}}',
      other: 'outro · {{account}}',
    },
    /** Sluice's own work, which nobody gave a name. */
    own: {
      command: 'Comandos de operadores',
      preview: 'Prévias de públicos',
    },
  },
  waiting: {
    title: 'Trabalho em espera',
    about:
      'Na fila pelas chamadas de cada conta: por prioridade, depois por idade. Trabalhos da mesma prioridade se revezam. Os tempos seguem o ritmo dos últimos 10 minutos.',
    place: 'Fila',
    stands: 'parado',
    none: 'Nada em espera',
    what: 'O quê',
    count: 'Em espera',
    eta: 'Pronto em',
    estimated: '≈ {{shown}}',
    waitsFor: { worker: 'espera um worker', service: 'espera o serviço' },
    kind: {
      records: 'registros',
      members: 'membros',
      events: 'eventos',
      conversations: 'conversas',
      outbox: 'eventos de saída',
    },
  },
  /** A lane says whose calls go first when the limit of a token does not serve everybody at once. */
  means: {
    reply: 'Respostas a pessoas que escreveram. Essas chamadas vão primeiro.',
    lead: 'Leads novos. Essas chamadas vão logo depois das respostas, antes de consultas e campanhas.',
    poll: 'Consultas por conversas novas. Essas chamadas vão antes de campanhas e cargas.',
    campaign: 'Disparos de campanhas. Essas chamadas vão depois de respostas, leads e consultas.',
    backfill: 'Trabalho em massa que pode esperar. Essas chamadas vão por último.',
  },
  set: {
    label: 'Prioridade de {{sync}}',
    about:
      'Quem vai primeiro quando o limite é curto. Vale a partir da próxima execução da sincronização; uma em andamento mantém a sua.',
    save: 'Gravar prioridade',
    keep: 'Manter',
    order: {
      before: 'Vai antes: {{work}}.',
      beforeNone: 'Nada desta conta vai antes.',
      beside: 'Reveza com ela: {{work}}.',
      besideNone: 'Nada desta conta reveza com ela.',
      after: 'Vai depois dela: {{work}}.',
      afterNone: 'Nada desta conta vai depois dela.',
    },
    work: {
      sync: 'sincronização {{name}}',
      campaign: 'campanha {{name}}',
      poller: 'consulta {{name}}',
      route: 'rota de eventos {{name}}',
    },
    lead: 'Antes de consultas e campanhas',
    backfill: 'Depois de todo o resto',
    done: '{{sync}}: a nova prioridade vale a partir da próxima execução',
    running: 'A execução em andamento mantém a sua: {{lane}}',
    doneElsewhere: '{{sync}}: gravada. Os workers a usam assim que carregarem a configuração',
  },
} as const;
