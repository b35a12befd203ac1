// What a column of a table is, by its name alone.

const GUESSES = [
  'number',
  'country',
  'name',
  'firstName',
  'lastName',
  'email',
  'document',
  'tags',
  'disableBot',
  'pipeline',
  'stage',
  'title',
  'closeDate',
  'value',
  'id',
] as const;
export type Guess = (typeof GUESSES)[number];

/** Names in English, Portuguese and Spanish, without accents and punctuation. The first that matches counts. */
const NAMES: readonly (readonly [Guess, RegExp])[] = [
  ['id', /^(?:id|uuid|codigo|code|.* id|id d[oae] .*)$/],
  ['document', /\b(?:cpf|cnpj|documento?s?|tax id|nif|dni|rut|cuit)\b/],
  ['email', /\b(?:e ?mails?|correo)\b/],
  [
    'number',
    /\b(?:phones?|telephones?|tele?fonos?|telefones?|tel|fones?|celular(?:es)?|cell(?:phone)?|mobile(?:phone)?|moveis|movel|movil|whats ?app|whats|zap|numeros?|msisdn)\b|phone$/,
  ],
  // Whether its values are countries is another question: a dialing code is none.
  [
    'country',
    /^(?:(?:contact |contato |cliente |customer )?(?:country|pais)(?: name| code)?|codigo do pais|nome do pais)$/,
  ],
  [
    'disableBot',
    /\b(?:opt ?out|unsubscribed|nao contatar|nao ligar|do ?not ?call|descadastrad[oa]|inscricao cancelada)\b/,
  ],
  ['firstName', /^(?:.* )?(?:first ?name|given ?name|primeiro nome)$/],
  ['lastName', /^(?:.* )?(?:last ?name|family ?name|surname|sobrenome|apellidos?)$/],
  ['tags', /\b(?:tags?|labels?|etiquetas?|marcador(?:es)?|group membership|grupos?|segmentos?)\b/],
  ['pipeline', /\b(?:pipelines?|funil|funis|funnel|embudo)\b/],
  [
    'closeDate',
    /\b(?:clos(?:e|ing) ?date|expected close.*|(?:data|previsao) d[eo] fechamento.*|fecha de cierre)\b/,
  ],
  ['stage', /\b(?:(?:deal|lead) ?stage|stage(?: ?name)?|etapas?|estagio|lead status|status do lead)\b/],
  [
    'title',
    /\b(?:deal (?:name|title)|lead (?:titulo|title)|opportunity name|negocio titulo|titulo do negocio|nome da oportunidade)\b/,
  ],
  [
    'name',
    /^(?:(?:person |pessoa |contact |contato |cliente |customer |lead )?(?:full ?name|name|nome|nombre|nome completo|nombre completo)|nome d[oa] (?:contato|cliente|pessoa|lead)|contatos?|contacts?|contato principal|main contact|clientes?|customers?)$/,
  ],
  ['value', /\b(?:value|valor|amount|venda|monto|price|preco)\b/],
];

/** What the columns of a person's other facts are called, although a word of theirs is in the list above. */
const NOT =
  /\b(?:label|type|tipo|ramal|extension|fax|country code|ddi|ddd|owner|responsavel|empresa|company|organization|organizacao|account|conta|connection|status date|emergency)\b/;

/** `E-mail (trabalho)` → `e mail trabalho`. */
export function plainName(name: string): string {
  return name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .toLowerCase();
}

export function guessOfName(name: string): Guess | null {
  const plain = plainName(name);
  const found = NAMES.find(([, pattern]) => pattern.test(plain))?.[0] ?? null;
  // `Phone 1 - Label` says what kind of number another column has; `Labels` alone are tags.
  return found !== null &&
    found !== 'country' &&
    NOT.test(plain) &&
    !(found === 'tags' && /^labels?$/.test(plain))
    ? null
    : found;
}
