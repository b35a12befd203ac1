// The demo account before the first sync: pipelines, tags, and 40 people, most of them also in the exports.
import { stringify } from 'yaml';
import { date, e164, e164Short, hasShortForm, type Person, Random } from './people.ts';

const TAGS = [
  'cliente',
  'lead',
  'perdido',
  'quente',
  'morno',
  'frio',
  'rd-station',
  'hubspot',
  'pipedrive',
  'newsletter',
  'vip',
  'não perturbe',
  'Ana Muniz',
  'Otávio Serrão',
  'Júlia Peçanha',
  'reativado',
  'salesforce',
  'kommo',
  'google-contacts',
];
const COLORS = [
  '#2e7d32',
  '#1565c0',
  '#b71c1c',
  '#e65100',
  '#f9a825',
  '#0277bd',
  '#6a1b9a',
  '#ef6c00',
  '#00695c',
  '#455a64',
];

const stage = (id: number, name: string, order: number, probability: number, final?: 'won' | 'lost') => ({
  id,
  name,
  order,
  probability,
  isFinal: final !== undefined,
  isWon: final === 'won',
  requiresSource: false,
});

const PIPELINES = [
  {
    id: 1,
    name: 'Vendas',
    stages: [
      stage(11, 'Novo', 1, 10),
      stage(12, 'Contato feito', 2, 25),
      stage(13, 'Apresentação', 3, 40),
      stage(14, 'Proposta enviada', 4, 60),
      stage(15, 'Negociação', 5, 80),
      stage(16, 'Ganho', 6, 100, 'won'),
      stage(17, 'Perdido', 7, 0, 'lost'),
    ],
  },
  {
    id: 2,
    name: 'Sales',
    stages: [
      stage(21, 'Qualified', 1, 10),
      stage(22, 'Contact made', 2, 25),
      stage(23, 'Demo scheduled', 3, 40),
      stage(24, 'Proposal made', 4, 60),
      stage(25, 'Negotiation', 5, 80),
      stage(26, 'Won', 6, 100, 'won'),
      stage(27, 'Lost', 7, 0, 'lost'),
    ],
  },
];

const CUSTOM_FIELDS = [
  { name: 'empresa', type: 'text', pipelineId: null },
  { name: 'valor', type: 'number', pipelineId: null },
  { name: 'criado_em', type: 'date', pipelineId: null },
  { name: 'pausada', type: 'boolean', pipelineId: 1 },
  { name: 'qualificacao', type: 'select', options: ['1', '2', '3', '4', '5'], pipelineId: 1 },
  {
    name: 'produtos',
    type: 'multiselect',
    options: ['Plano Essencial', 'Plano Profissional', 'Plano Empresarial', 'Consultoria', 'Treinamento'],
    pipelineId: 1,
  },
  { name: 'currency', type: 'select', options: ['BRL', 'USD', 'EUR'], pipelineId: 2 },
];

/** Every ninth person of the exports, some without the ninth digit, and a few who are in no export. */
function contacts(people: readonly Person[], strangers: readonly Person[]) {
  const random = new Random(20260404);
  const known = people.filter((person) => person.index % 9 === 3 || person.index % 80 === 11).slice(0, 34);
  return [...known, ...strangers].map((person, index) => ({
    id: 101 + index,
    number: hasShortForm(person.index) && index < 30 ? e164Short(person) : e164(person),
    name: index % 6 === 0 ? person.first : `${person.first} ${person.last}`,
    email: random.chance(0.4) ? person.email : null,
    document: null,
    channel: 'whatsapp',
    disableBot: index === 7,
    tagIds: index % 3 === 0 ? [11, 12].slice(0, 1 + (index % 2)) : [],
    extraInfo:
      index % 4 === 0
        ? [
            { name: 'aniversário', value: date(random.int(365)).br.slice(0, 5) },
            {
              name: 'observação',
              value: random.pick(['prefere áudio', 'cliente desde 2019', 'fala inglês']),
            },
          ]
        : [],
  }));
}

/** @returns the fixture as YAML */
export function sandbox(people: readonly Person[], strangers: readonly Person[]): string {
  const persons = contacts(people, strangers);
  const at = (days: number) => `${date(days).iso}T12:00:00.000Z`;
  const cards = persons
    .filter((_, index) => index % 6 === 2)
    .map((contact, index) => {
      const closed = index % 3 === 2;
      return {
        id: 501 + index,
        contactId: contact.id,
        pipelineId: 1,
        stageId: closed ? 17 : 11 + index,
        title: `Lead - ${contact.name}`,
        value: 250 * (index + 1),
        status: closed ? 'lost' : 'open',
        userId: 1 + (index % 3),
        sourceId: 1 + (index % 2),
        lostReasonId: closed ? 1 : null,
        expectedCloseDate: closed ? null : date(90 + index).iso,
        createdAt: at(-60 + index),
        closedAt: closed ? at(-20) : null,
        stageEnteredAt: at(-30 + index),
      };
    });
  const account = {
    id: 'demo',
    defaultConnectionId: 1,
    tagMode: 'contacts',
    cardTitlePrefix: 'Lead - ',
    tokens: [
      {
        value: 'svc_test_demo',
        scopes: [
          'conversations:read',
          'messages:read',
          'messages:send',
          'connections:read',
          'contacts:read',
          'contacts:write',
          'cards:read',
          'cards:write',
          'flows:trigger',
        ],
      },
    ],
    connections: [{ id: 1, name: 'Atendimento', channel: 'waba', status: 'CONNECTED', isDefault: true }],
    users: [
      { id: 1, name: 'Ana Muniz' },
      { id: 2, name: 'Otávio Serrão' },
      { id: 3, name: 'Júlia Peçanha' },
    ],
    tags: TAGS.map((name, index) => ({ id: 1 + index, name, color: COLORS[index % COLORS.length] })),
    sources: [
      { id: 1, name: 'Site' },
      { id: 2, name: 'Indicação' },
    ],
    lostReasons: [
      { id: 1, name: 'Preço' },
      { id: 2, name: 'Sem resposta' },
      { id: 3, name: 'Concorrente' },
    ],
    customFields: CUSTOM_FIELDS,
    pipelines: PIPELINES,
    flows: [{ id: 1, name: 'Reativação', active: true, published: true, nodes: 4 }],
    contacts: persons,
    cards,
  };
  const head =
    '# The demo account before the first sync. Written by examples/generate.ts; every person is invented.\n';
  return head + stringify({ accounts: [account] }, { lineWidth: 0, defaultStringType: 'PLAIN' });
}
