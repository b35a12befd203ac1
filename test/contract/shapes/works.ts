// Shapes that the client reads as they are.
import {
  answerWith,
  type Body,
  eachItem,
  mapIds,
  type Rule,
  wrap,
} from '../../support/reshaped/reshaped-service.ts';
import {
  card,
  cards,
  change,
  contacts,
  conversations,
  create,
  drop,
  field,
  history,
  move,
  pipelines,
  send,
  setTags,
  status,
  statuses,
  tags,
  trigger,
  type Use,
  update,
  upsert,
} from './uses.ts';

/** Read as it is, as the sandbox's own answer is. */
export const WORKS: readonly (readonly [name: string, use: Use, ...rules: Rule[]])[] = [
  ['ids of messages as integers', history, change('id', (id: string) => Number(id.slice(1)))],
  ['ids of messages under another name', history, field('id', 'messageId')],
  ['no status in the history', history, drop('status'), drop('ack')],
  ['no templates in the history', history, drop('templateData')],
  ['delivery codes as digits', history, change('ack', String)],
  ['further fields everywhere', history, change('later', () => ({ a: 1, b: [null] }))],
  ['times with an offset', statuses, change('createdAt', (time: string) => time.replace('Z', '+00:00'))],
  ['tags under any one key', tags, wrap(/tags/, 'tags', 'data')],
  ['pipelines under any one key', pipelines, wrap(/pipelines/, 'pipelines', 'items')],
  ['a card under any one key', card, wrap(/cards\/1/, 'card', 'data')],
  ['a card without a wrapper', card, { on: /cards\/1/, answer: (a) => void (a.body = { ...a.body.card }) }],
  [
    'a message status under any one key',
    status,
    {
      on: /status$/,
      answer: (a) => void (a.body = { data: a.body.message ?? a.body }),
    },
  ],
  ['ids as digits in texts', contacts, mapIds(String)],
  ['ids as digits in texts, of cards', cards, mapIds(String)],
  [
    'a responsible user with an id of letters',
    cards,
    eachItem(/cards$/, 'cards', (c) => void (c.user = { id: 'u-1' })),
  ],
  ['a lost reason as a word', cards, eachItem(/cards$/, 'cards', (c) => void (c.lostReason = 'price'))],
  [
    'a contact without a name in a card',
    cards,
    eachItem(/cards$/, 'cards', (c) => void (c.contact.name = null)),
  ],
  [
    'the number of a card’s contact as an integer',
    cards,
    eachItem(/cards$/, 'cards', (c) => {
      c.contact.number = Number(c.contact.number);
    }),
  ],
  [
    'the number of a conversation’s contact as an integer',
    conversations,
    eachItem(/conversations$/, 'conversations', (c) => {
      c.contact.number = Number(c.contact.number);
    }),
  ],
  [
    'an owner with an id of letters',
    conversations,
    eachItem(/conversations$/, 'conversations', (c) => {
      c.owner = { id: 'u-1', name: null };
    }),
  ],
  ['reads answered with 203', contacts, answerWith(/^GET/, 203, (body: Body) => body)],
  [
    'a card created, answered with a word',
    create,
    answerWith(/^POST .*cards$/, 201, { requestId: 'r', card: 'created' }),
  ],
  ['a card created, answered with a message', create, answerWith(/^POST .*cards$/, 200, { message: 'ok' })],
  ['a card created, answered with nothing', create, answerWith(/^POST .*cards$/, 204, undefined)],
  [
    'a card created, answered with its id',
    create,
    answerWith(/^POST .*cards$/, 201, { requestId: 'r', id: 5 }),
  ],
  ['a move answered with a word', move, answerWith(/stage$/, 200, { requestId: 'r', card: 'moved' })],
  ['an upsert answered with a word', upsert, answerWith(/^POST .*contacts$/, 200, { contact: 'updated' })],
  ['an update answered with nothing', update, answerWith(/^PUT .*contacts\/1$/, 204, undefined)],
  ['tags answered with their ids', setTags, answerWith(/^PUT .*tags$/, 200, { requestId: 'r', tagIds: [1] })],
  [
    'a message answered with a word',
    send,
    answerWith(/messages\/send$/, 200, { requestId: 'r', status: 'queued' }),
  ],
  ['a trigger answered with nothing', trigger, answerWith(/trigger$/, 202, undefined)],
];
