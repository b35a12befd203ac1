// Frases de códigos com números e nomes. Quando um código tem várias, elas são unidas.
export default {
  of: {
    conflict_rows_names: 'Os registros {{first}} e {{second}} têm este número e nomes diferentes.',
    conflict_rows_emails: 'Os registros {{first}} e {{second}} têm este número e e-mails diferentes.',
    conflict_rows_documents: 'Os registros {{first}} e {{second}} têm este número e documentos diferentes.',
    conflict_lines_names: 'As linhas {{first}} e {{second}} têm este número e nomes diferentes.',
    conflict_lines_emails: 'As linhas {{first}} e {{second}} têm este número e e-mails diferentes.',
    conflict_lines_documents: 'As linhas {{first}} e {{second}} têm este número e documentos diferentes.',
    conflict_rejected:
      'Todas as linhas do número foram rejeitadas. Corrija a fonte, ou defina na sincronização o que fazer com elas (onConflict: first ou merge).',
    conflict_left: 'O Sluice deixou de fora a última (onConflict: first).',
    conflict_merged: 'O Sluice as juntou e manteve o último valor (onConflict: merge).',
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
    NO_WORKER_some: 'Inicie um worker: {{command}}',
    NO_WORKER_named: 'Esperam: {{work}}. Inicie um worker: {{command}}',
    NO_WORKER_more: 'Esperam: {{work}} e mais {{more}}. Inicie um worker: {{command}}',
    WORK_RETRIES_ledger: 'O banco de dados do Sluice não respondeu {{attempts}} vezes seguidas.',
    WORK_RETRIES_error:
      'Falhou {{attempts}} vezes seguidas. O log do worker diz por quê: procure {{activity}} e {{error}}.',
    WORK_RETRIES_next: 'Tenta de novo sozinho; a próxima tentativa é às {{nextAt}}.',
    WORK_RETRIES_again: 'Tenta de novo sozinho.',
    WORK_RETRIES_moving: 'O restante do trabalho continua enquanto isso.',
    WORK_RETRIES_partial: 'Pode haver mais falhas: nem todo o trabalho aberto foi verificado ainda.',
    STOP_FAILED: '{{members}} de {{tried}} membros falharam. A campanha para acima de {{limitShare}}.',
    STOP_UNKNOWN:
      '{{members}} de {{tried}} membros têm resultado desconhecido. A campanha para acima de {{limitShare}}.',
    STOP_HUMAN_SERVICE:
      '{{members}} de {{tried}} membros estavam em atendimento humano. A campanha para acima de {{limitShare}}.',
    STOP_OPT_OUT:
      '{{members}} de {{tried}} membros pediram para sair. A campanha para acima de {{limitShare}}.',
    STOP_REPLIES: '{{members}} de {{tried}} membros responderam. A campanha para abaixo de {{limitShare}}.',
    ENCODING_detected: 'O arquivo é lido como {{encoding}}, com {{sureShare}} de certeza.',
    ENCODING_mark: 'O arquivo é lido como {{encoding}}, porque começa com a marca desta codificação.',
    ENCODING_bytes: 'O arquivo é lido como {{encoding}}, por causa dos seus bytes zero.',
    ENCODING_UNSURE:
      'O arquivo é lido como {{encoding}}, com apenas {{sureShare}} de certeza. Se os nomes aparecerem errados na prévia, escolha outra no campo “Codificação”.',
    MIXED_ENCODING:
      'O arquivo é lido como utf-8, como estão {{sureShare}} dos seus caracteres acentuados. Linhas com outros bytes são rejeitadas.',
    VARIABLE_MISSING_names: 'O fluxo não tem valor para {{names}}.',
    OPTED_OUT_tag: 'A pessoa pediu para não receber mensagens: o contato tem a etiqueta {{tags}}.',
    OPTED_OUT_given: 'A pessoa pediu para não receber mensagens: o Sluice pôs a etiqueta {{tags}}.',
    OPTED_OUT_tagSeen:
      'A pessoa pediu para não receber mensagens: uma etiqueta que diz isso foi vista em {{seenAt}}.',
    OPTED_OUT_recorded: 'Um operador registrou que a pessoa se descadastrou em {{optedOutAt}}.',
    OPTED_OUT_imported: 'Uma lista importada diz que a pessoa se descadastrou em {{optedOutAt}}.',
    OPTED_OUT_said: 'A pessoa se descadastrou em {{optedOutAt}}.',
    OPTED_OUT_before: 'A pessoa se descadastrou antes da vez da mensagem.',
    EXCLUDED_NUMBER_listed: 'O número está na lista de números que a campanha exclui.',
    EXCLUDED_TAG_tag: 'O contato tem a etiqueta excluída {{tags}}.',
    EXCLUDED_TAG_given: 'O Sluice pôs a etiqueta excluída {{tags}}.',
    EXCLUDED_CAMPAIGN_reached: 'A campanha {{campaign}} alcançou a pessoa em {{reachedAt}}.',
    EXCLUDED_CAMPAIGN_since: 'A campanha {{campaign}} alcançou a pessoa depois que o plano foi feito.',
    CONTACTED_LATELY_reached: 'A campanha {{campaign}} alcançou a pessoa em {{reachedAt}}.',
    CONTACTED_LATELY_message: 'Uma mensagem foi enviada à pessoa em {{sentAt}}.',
    CONTACTED_LATELY_event: 'Um evento enviou à pessoa uma mensagem ou um fluxo em {{sentAt}}.',
    OPEN_CONVERSATION_seen:
      'A conversa {{conversation}} estava aberta quando foi vista pela última vez, atualizada em {{updatedAt}}.',
    OPEN_CONVERSATION_now: 'A conversa {{conversation}} da pessoa está aberta.',
    HUMAN_SERVICE_seen:
      'Alguém atendia a conversa {{conversation}} quando ela foi vista pela última vez, atualizada em {{updatedAt}}.',
    HUMAN_SERVICE_now: 'Alguém atende a pessoa na conversa {{conversation}}.',
    FREQUENCY_CAP_once:
      'A campanha {{campaign}} alcançou a pessoa uma vez dentro de {{within}}, em {{reachedAt}}.',
    FREQUENCY_CAP_often:
      'Campanhas alcançaram a pessoa {{times}} vezes dentro de {{within}}, a última, {{campaign}}, em {{reachedAt}}.',
    FREQUENCY_CAP_some: 'Campanhas alcançaram a pessoa dentro de {{within}}.',
    NO_COMMON_WINDOW_never: 'Nenhuma janela de envio fica aberta em todos estes fusos: {{zones}}.',
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
    excel_number_rounded:
      'Uma planilha pode ter arredondado o número, e os últimos dígitos se perderam. Formate a coluna como texto e exporte de novo.',
    excel_number_decimal:
      'Este é um número com decimais, não um telefone. Formate a coluna como texto e exporte de novo.',
    placeholder_phone_placeholder:
      'Este é um número de preenchimento, não um telefone. Informe o número real ou deixe o campo vazio.',
    invalid_phone_letters: 'O número contém letras. Deixe um só telefone na célula.',
    invalid_phone_symbols:
      'O número contém caracteres que nenhum telefone tem. Use dígitos, espaços, hifens, parênteses e um + no início.',
    invalid_phone_hidden: 'A célula oculta ou corta dígitos. Escreva todos os dígitos do número.',
    invalid_phone_otherColumn:
      'Isto parece um documento, uma data, um valor, um endereço ou um cartão, não um telefone. Mapeie a coluna do telefone.',
    invalid_phone_local: 'Este é um número local sem DDD. Escreva com o DDD, ou com + e código do país.',
    invalid_phone_context:
      'Este link tem um número local sem código de país válido. Escreva o número com + e código do país.',
    invalid_phone_short: 'O número é curto demais. Escreva com o DDD.',
    invalid_phone_long: 'O número tem mais de 15 dígitos. Deixe um só telefone na célula.',
    invalid_phone_crowded: 'A célula tem mais de 1.000 caracteres. Deixe um só telefone na célula.',
    invalid_phone_noCountry:
      'O número não indica o país. Defina defaultCountry, ou escreva o número com + e código do país.',
    invalid_phone_notInternational:
      'Nenhuma operadora tem este número. Ele deve começar com o código do país por causa de numberFormat: international.',
    invalid_phone_unknown: 'Nenhuma operadora tem este número. Confira código do país, DDD e comprimento.',
    invalid_phone_service:
      'Este é um número de serviço, ou um número sem DDD. Escreva o número de uma pessoa com DDD.',
    invalid_phone_cut: 'Falta um dígito no número. Escreva todos os dígitos.',
    ambiguous_phone_several:
      'Os separadores na célula podem terminar um número ou fazer parte dele. Deixe um só telefone na célula.',
    ambiguous_phone_twoNumbers:
      'A célula pode ter dois números. Separe com ponto e vírgula, ou deixe um só telefone na célula.',
    invalid_phone_groupId: 'Este é o id de um grupo ou canal da rede de chat, não o número de uma pessoa.',
    invalid_phone_innerId:
      'Este é um id interno da rede de chat (lid), não um telefone. Exporte o telefone do contato.',
    invalid_phone_link: 'Este link não contém um telefone. Escreva o número, ou https://wa.me/ e o número.',
    invalid_phone_notOf:
      'Nenhuma operadora de {{country}} tem este número. Confira DDD e comprimento, e escreva números estrangeiros com + e código do país.',
    invalid_phone_groupedUnlike:
      'Os dígitos não estão agrupados como em um número de {{country}}. Escreva números estrangeiros com + e código do país.',
  },
};
