// O que falhou no último dia, quando alguém manda contar.
export default {
  since: 'Desde {{since}}: as horas cheias do último dia.',
  none: 'Nada falhou.',
  more: 'Há mais. `sluice failures` lista todas.',
  repaired_one: 'Mais {{count}} falha foi corrigida por uma tentativa posterior.',
  repaired_many: 'Mais {{count}} de falhas foram corrigidas por uma tentativa posterior.',
  repaired_other: 'Mais {{count}} falhas foram corrigidas por uma tentativa posterior.',
  kind: {
    run: 'Execuções que falharam',
    record: 'Registros de sincronizações',
    row: 'Linhas rejeitadas',
    member: 'Membros de campanhas',
    event: 'Eventos',
    refusal: 'Eventos recusados',
    'dead letter': 'Mensagens não processadas do Kafka (DLQ)',
    outbox: 'Eventos de saída abandonados',
    poller: 'Lacunas de pollers',
    call: 'Outras chamadas da API',
  },
} as const;
