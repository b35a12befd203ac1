// Shapes that the client refuses, each with the assumption that it names and the override that mends it.
import type { AssumptionKey, AssumptionOverrides } from '../../../src/service/api-client/index.ts';
import {
  answerWith,
  type Body,
  eachMessage,
  envelope,
  HISTORY,
  inputNamed,
  type Rule,
  refuseWith,
  wrap,
} from '../../support/reshaped/reshaped-service.ts';
import {
  card,
  change,
  contact,
  contacts,
  drop,
  epoch,
  field,
  history,
  lostReasons,
  pipelines,
  status,
  statuses,
  tags,
  trigger,
  type Use,
  word,
} from './uses.ts';

export interface Refused {
  readonly use: Use;
  readonly rules: readonly Rule[];
  readonly assumption: AssumptionKey;
  /** A name that the error shows among the fields in that place. */
  readonly seen?: string;
  /** Where the same client then reads what the sandbox says. */
  readonly override?: AssumptionOverrides;
}

const direction = (path: string, values: Record<string, boolean>): AssumptionOverrides => ({
  'message.fromMeField': { path, values },
});

/** Refused, with the assumption and the fields seen; and the override with which it works. */
export const REFUSED: Readonly<Record<string, Refused>> = {
  'the text under another name': {
    use: history,
    rules: [field('body', 'text')],
    assumption: 'message.bodyField',
    seen: 'text',
    override: { 'message.bodyField': 'text' },
  },
  'the text nested': {
    use: history,
    rules: [field('body', 'content.text')],
    assumption: 'message.bodyField',
    seen: 'content.text',
    override: { 'message.bodyField': 'content.text' },
  },
  'the text in a list': {
    use: history,
    assumption: 'message.bodyField',
    seen: 'parts.0.text',
    rules: [
      eachMessage((item) => {
        item.parts = [{ text: item.body }];
        delete item.body;
      }),
    ],
    override: { 'message.bodyField': 'parts.0.text' },
  },
  'the text as an object': {
    use: history,
    rules: [change('body', (text) => ({ text }))],
    assumption: 'message.bodyField',
    seen: 'body.text',
    override: { 'message.bodyField': 'body.text' },
  },
  'a text of null beside the real one': {
    use: history,
    assumption: 'message.bodyField',
    seen: 'message',
    rules: [
      eachMessage((item) => {
        item.message = item.body;
        item.body = null;
      }),
    ],
    override: { 'message.bodyField': 'message' },
  },
  'the direction as a word': {
    use: history,
    assumption: 'message.fromMeField',
    seen: 'direction',
    rules: [change('fromMe', word), field('fromMe', 'direction')],
    override: direction('direction', { inbound: false, outbound: true }),
  },
  'the direction as a word in its own field': {
    use: history,
    rules: [change('fromMe', word)],
    assumption: 'message.fromMeField',
    seen: 'fromMe',
    override: direction('fromMe', { inbound: false, outbound: true }),
  },
  'the direction as 0 and 1': {
    use: history,
    rules: [change('fromMe', Number)],
    assumption: 'message.fromMeField',
    seen: 'fromMe',
    override: direction('fromMe', { 0: false, 1: true }),
  },
  'the direction as "true" and "false"': {
    use: history,
    rules: [change('fromMe', String)],
    assumption: 'message.fromMeField',
    override: direction('fromMe', { true: true, false: false }),
  },
  'the direction the other way round': {
    use: history,
    assumption: 'message.fromMeField',
    seen: 'received',
    rules: [change('fromMe', (value: boolean) => !value), field('fromMe', 'received')],
    override: direction('received', { true: false, false: true }),
  },
  'the direction nested': {
    use: history,
    rules: [field('fromMe', 'key.fromMe')],
    assumption: 'message.fromMeField',
    seen: 'key.fromMe',
    override: { 'message.fromMeField': 'key.fromMe' },
  },
  'the direction by the user who sent it': {
    use: history,
    assumption: 'message.fromMeField',
    seen: 'userId',
    rules: [change('fromMe', (value: boolean) => (value ? 7 : null)), field('fromMe', 'userId')],
    override: direction('userId', { null: false, '*': true }),
  },
  'the direction shown of sent messages only': {
    use: history,
    assumption: 'message.fromMeField',
    rules: [
      eachMessage((item) => {
        if (item.fromMe === false) delete item.fromMe;
      }),
    ],
    override: direction('fromMe', { absent: false, true: true }),
  },
  'no direction': { use: history, rules: [drop('fromMe')], assumption: 'message.fromMeField', seen: 'body' },
  'times as seconds': {
    use: history,
    rules: [change('createdAt', epoch)],
    assumption: 'message.timeField',
    seen: 'createdAt',
    override: { 'message.timeField': { path: 'createdAt', unit: 's' } },
  },
  'times as milliseconds in texts': {
    use: history,
    assumption: 'message.timeField',
    seen: 'timestamp',
    rules: [change('createdAt', (time: string) => String(Date.parse(time))), field('createdAt', 'timestamp')],
    override: { 'message.timeField': { path: 'timestamp', unit: 'ms' } },
  },
  'times under another name': {
    use: history,
    rules: [field('createdAt', 'sentAt')],
    assumption: 'message.timeField',
    seen: 'sentAt',
    override: { 'message.timeField': 'sentAt' },
  },
  'times nested': {
    use: history,
    rules: [field('createdAt', 'meta.at')],
    assumption: 'message.timeField',
    seen: 'meta.at',
    override: { 'message.timeField': 'meta.at' },
  },
  'times without an offset': {
    use: history,
    assumption: 'message.timeField',
    rules: [change('createdAt', (time: string) => time.slice(0, 19))],
  },
  'the status under another name': {
    use: statuses,
    rules: [field('status', 'state')],
    assumption: 'message.statusField',
    seen: 'state',
    override: { 'message.statusField': 'state' },
  },
  'the status nested': {
    use: statuses,
    rules: [field('status', 'delivery.word')],
    assumption: 'message.statusField',
    seen: 'delivery.word',
    override: { 'message.statusField': 'delivery.word' },
  },
  'the status as a number': {
    use: statuses,
    rules: [change('status', (value) => ({ received: 0, read: 4 })[value as 'read'])],
    assumption: 'message.statusField',
    override: { 'message.statusField': { path: 'status', values: { 0: 'received', 4: 'read' } } },
  },
  'the delivery code as a word': {
    use: history,
    rules: [change('ack', () => 'READ')],
    assumption: 'message.ackField',
    seen: 'ack',
    override: { 'message.ackField': 'noSuch' },
  },
  'tags nested': {
    use: tags,
    rules: [wrap(/tags$/, 'tags', 'data.items')],
    assumption: 'wrapper.tags',
    seen: 'data.items',
    override: { 'wrapper.tags': 'data.items' },
  },
  'tags beside another list': {
    use: tags,
    assumption: 'wrapper.tags',
    seen: 'labels',
    rules: [wrap(/tags$/, 'tags', 'labels'), { on: /tags$/, answer: ({ body }) => void (body.errors = []) }],
    override: { 'wrapper.tags': 'labels' },
  },
  'pipelines nested': {
    use: pipelines,
    rules: [wrap(/pipelines$/, 'pipelines', 'result.list')],
    assumption: 'wrapper.pipelines',
    seen: 'result.list',
    override: { 'wrapper.pipelines': 'result.list' },
  },
  'lost reasons nested': {
    use: lostReasons,
    rules: [wrap(/reasons$/, 'lostReasons', 'data.reasons')],
    assumption: 'wrapper.lostReasons',
    override: { 'wrapper.lostReasons': 'data.reasons' },
  },
  'a card nested': {
    use: card,
    rules: [wrap(/cards\/1$/, 'card', 'data.card')],
    assumption: 'wrapper.card',
    seen: 'data.card',
    override: { 'wrapper.card': 'data.card' },
  },
  'a message status nested': {
    use: status,
    assumption: 'wrapper.messageStatus',
    seen: 'data.result.status',
    rules: [{ on: /status$/, answer: (a) => void (a.body = { data: { result: a.body.message ?? a.body } }) }],
    override: { 'wrapper.messageStatus': 'data.result' },
  },
  'everything under data, of contacts': {
    use: contacts,
    rules: [envelope()],
    assumption: 'answer.envelope',
    seen: 'data.contacts',
    override: { 'answer.envelope': 'data' },
  },
  'everything under data, of one contact': {
    use: contact,
    rules: [envelope()],
    assumption: 'answer.envelope',
    seen: 'data.contact',
    override: { 'answer.envelope': 'data' },
  },
  'everything under data, of a history': {
    use: history,
    rules: [envelope(HISTORY, 'result')],
    assumption: 'answer.envelope',
    seen: 'result.messages',
    override: { 'answer.envelope': 'result' },
  },
  'a status that the account does not expect': {
    use: contacts,
    rules: [answerWith(/^GET/, 206, (body: Body) => body)],
    assumption: 'success.statuses',
  },
  'a trigger whose contact stands elsewhere, refused with a code of its own': {
    use: trigger,
    rules: [
      inputNamed(/trigger$/, 'contact.id', 'contactId'),
      refuseWith(/trigger$/, 422, { error: 'x', code: 'ERR_PERSON_REQUIRED' }),
    ],
    assumption: 'flows.contactField',
  },
  'a trigger whose contact is a number, refused without a code': {
    use: trigger,
    rules: [
      { on: /trigger$/, ask: ({ body }) => void (body.contactId = undefined) },
      refuseWith(/trigger$/, 400, { message: 'phone is required' }),
    ],
    assumption: 'flows.contactIdentity',
  },
};
