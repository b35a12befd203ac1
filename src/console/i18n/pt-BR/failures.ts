// O que falhou no último dia, quando alguém manda contar.
export default {
  since: 'Desde {{since}}: as horas cheias do último dia.',
  none: 'Nada falhou.',
  more: 'Há mais. `sluice failures` lista todas.',
  repaired_one: 'Mais {{shown}} falha foi resolvida por uma tentativa posterior ou uma correção.',
  repaired_many: 'Mais {{shown}} de falhas foram resolvidas por uma tentativa posterior ou uma correção.',
  repaired_other: 'Mais {{shown}} falhas foram resolvidas por uma tentativa posterior ou uma correção.',
  retried_one: '{{shown}} chamada que falhou foi repetida com sucesso.',
  retried_many: '{{shown}} de chamadas que falharam foram repetidas com sucesso.',
  retried_other: '{{shown}} chamadas que falharam foram repetidas com sucesso.',
  kind: {
    run: 'Execuções que falharam',
    record: 'Registros de sincronizações',
    row: 'Linhas rejeitadas',
    member: 'Membros de campanhas',
    event: 'Eventos',
    refusal: 'Requisições recusadas',
    'dead letter': 'Mensagens não processadas do Kafka (DLQ)',
    outbox: 'Eventos de saída abandonados',
    poller: 'Lacunas de pollers',
    call: 'Outras chamadas da API',
  },
} as const;
