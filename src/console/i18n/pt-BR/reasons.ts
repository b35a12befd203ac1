// Frases de códigos com números e nomes. Quando um código tem várias, elas são unidas.
export default {
  of: {
    CONNECTION_NOT_FOUND_some:
      'A conta “{{account}}” não tem a conexão {{connection}}. Estas rodam fluxos: {{usable}}.',
    CONNECTION_NOT_FOUND_none:
      'A conta “{{account}}” não tem a conexão {{connection}}, nem outra que rode fluxos.',
    CONNECTION_UNSUPPORTED_some: 'A conexão {{connection}} não roda fluxos. Estas rodam: {{usable}}.',
    CONNECTION_UNSUPPORTED_none:
      'A conexão {{connection}} não roda fluxos, e a conta não tem outra que rode.',
    CONNECTION_DOWN: 'A conexão {{connection}} não está conectada: o serviço diz {{status}}.',
    EMPTY_AUDIENCE_nobody: 'Ninguém foi encontrado. Confira os filtros do público.',
    EMPTY_AUDIENCE_left:
      'Não há ninguém para disparar: de {{audience}} pessoas, {{excluded}} foram excluídas e {{holdout}} estão no grupo de controle.',
    END_PASSED: 'A campanha terminou em {{endAt}}. Escolha um fim posterior.',
    NO_WINDOW: 'As janelas de envio nunca abrem em {{zones}}.',
    TOO_SLOW_late: 'O último disparo seria {{lateMs}} depois do fim.',
    TOO_SLOW_years: 'A campanha rodaria por anos depois do fim.',
    TOO_SLOW_horizon: 'A campanha não terminaria em {{spanMs}}.',
    TOO_SLOW_done: 'Até {{untilAt}}, {{byThen}} de {{eligible}} membros são disparados.',
    TOO_SLOW_pace:
      '{{paceNeeded}} disparos por minuto bastariam; o plano tem {{pacePerMinute}}. Menos membros ou um fim posterior também ajudam.',
    TOO_SLOW_waves:
      'Nenhum ritmo basta. Use ondas maiores, menos tempo entre elas, menos membros ou um fim posterior.',
    RATE_OVER_BUDGET:
      '{{limit}} disparos por minuto precisam de {{calls}} chamadas, mas os tokens da conta permitem {{allowed}}. O plano supõe {{pacePerMinute}} disparos por minuto.',
    SHARED_BUDGET:
      'Estes também usam chamadas da conta, por isso a campanha pode demorar mais que o planejado: {{others}}.',
    SLOW_WAVES:
      'As ondas somam {{laterMs}}. Em uma só onda, com {{pacePerMinute}} disparos por minuto, a campanha terminaria até {{aloneAt}}, mas cada uma das {{waves}} ondas espera as janelas de todos os seus membros.',
    NO_POLLER_never: 'Nenhum poller que segue a conexão foi iniciado.',
    NO_POLLER_idle: 'Nenhum poller que segue a conexão está consultando.',
    NO_POLLER_unseen: 'O Sluice não vê respostas.',
    NO_POLLER_relies: 'Regras da campanha dependem das respostas.',
    STOP_FAILED: '{{members}} de {{tried}} membros falharam. A campanha para acima de {{limitShare}}.',
    STOP_UNKNOWN:
      '{{members}} de {{tried}} membros têm resultado desconhecido. A campanha para acima de {{limitShare}}.',
    STOP_HUMAN_SERVICE:
      '{{members}} de {{tried}} membros estavam em atendimento humano. A campanha para acima de {{limitShare}}.',
    STOP_OPT_OUT:
      '{{members}} de {{tried}} membros pediram para sair. A campanha para acima de {{limitShare}}.',
    STOP_REPLIES: '{{members}} de {{tried}} membros responderam. A campanha para abaixo de {{limitShare}}.',
    CONFIG_VALUE_missing: 'Falta este valor.',
    CONFIG_VALUE_text: 'Escreva um texto.',
    CONFIG_VALUE_number: 'Escreva um número.',
    CONFIG_VALUE_int: 'Escreva um número inteiro.',
    CONFIG_VALUE_boolean: 'Escolha sim ou não.',
    CONFIG_VALUE_list: 'Escreva uma lista.',
    CONFIG_VALUE_keys: 'Escreva chaves com valores.',
    CONFIG_VALUE_oneOf: 'Escolha um destes: {{values}}.',
    CONFIG_UNKNOWN_KEY: 'Não existe a chave {{key}} aqui.',
    CONFIG_EMPTY: 'Não pode ficar vazio.',
    CONFIG_FEW: 'Informe pelo menos {{minimum}}.',
    CONFIG_LOW_from: 'Escreva {{minimum}} ou mais.',
    CONFIG_LOW_above: 'Escreva mais que {{minimum}}.',
    CONFIG_HIGH: 'Escreva {{maximum}} ou menos.',
    CONFIG_DURATION: 'Escreva um número e uma unidade: 30s, 5m, 2h, 1d.',
    CONFIG_NO_SUCH: '“{{wanted}}” não existe.',
    CONFIG_NO_DAY:
      'Nenhum dia da semana tem horário, então ninguém seria disparado. Adicione um horário a um dia.',
    CONFIG_HOURS_SAME: '{{range}} termina quando começa. O dia inteiro é 00:00-24:00.',
    CONFIG_END_FIRST: 'O fim, {{endAt}}, é antes do início, {{startAt}}. Escolha um fim posterior.',
    CONFIG_NO_FILTER: 'Isto alcançaria todos desta lista. Adicione um filtro.',
    CONFIG_STAGE_PIPELINE: 'Uma etapa precisa do seu funil. Escolha também o funil.',
  },
};
