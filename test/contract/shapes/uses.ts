// What a client does with the service in the tests of shapes, and small ways to reshape its histories.
import {
  type HistoryMessage,
  type MessagingClient,
  type Page,
  UnexpectedShapeError,
} from '../../../src/service/api-client/index.ts';
import { type Body, eachMessage, rename } from '../../support/reshaped/reshaped-service.ts';

export type Use = (client: MessagingClient) => Promise<unknown>;

/** All that matters of a history; throws when one message can't be read, as a poller would stop. */
export const history: Use = async (client) => {
  const { data } = await client.conversations.messages(1);
  refuseInvalid(data, '/v1/conversations/{ticketId}/messages');
  return data.items.map(({ body, fromMe, createdAt }: HistoryMessage) => ({ body, fromMe, createdAt }));
};
export const statuses: Use = async (client) => {
  const { data } = await client.conversations.messages(1);
  refuseInvalid(data, '/v1/conversations/{ticketId}/messages');
  return data.items.map(({ status }) => status);
};
function refuseInvalid(page: Pick<Page<unknown>, 'invalid'>, path: string): void {
  const [first] = page.invalid;
  if (first === undefined) return;
  const { path: place, expected, assumption, seen } = first;
  throw new UnexpectedShapeError({
    method: 'GET',
    path,
    at: place,
    expected,
    status: 200,
    requestId: null,
    assumption,
    seen,
  });
}
const listOf =
  (
    pick: (client: MessagingClient) => Promise<{ data: Pick<Page<{ id: number }>, 'items' | 'invalid'> }>,
  ): Use =>
  async (client) => {
    const { data } = await pick(client);
    refuseInvalid(data, '/v1');
    return data.items.map(({ id }) => id);
  };
export const tags = listOf((client) => client.tags.list());
export const pipelines = listOf((client) => client.pipelines.list());
export const lostReasons = listOf((client) => client.lostReasons.list());
export const contacts = listOf((client) => client.contacts.list());
export const cards = listOf((client) => client.cards.list());
export const conversations = listOf((client) => client.conversations.list());
export const card: Use = async (client) => (await client.cards.get(1)).data.title;
export const contact: Use = async (client) => (await client.contacts.get(1)).data.extraInfo;
export const status: Use = async (client) => (await client.messages.status('m1')).data.status;
const done =
  (write: (client: MessagingClient) => Promise<unknown>): Use =>
  async (client) => {
    await write(client);
    return 'done';
  };
export const create = done((client) => client.cards.create({ contactId: 1, pipelineId: 1, stageId: 11 }));
export const move = done((client) => client.cards.move(1, 12));
export const upsert = done((client) => client.contacts.upsert({ number: '5511987654321', name: 'Bia' }));
export const update = done((client) => client.contacts.update(1, { name: 'Bia' }));
export const setTags = done((client) => client.contacts.setTags(1, [1]));
export const send = done((client) => client.messages.send({ number: '5511987654321', body: 'x' }));
const CONTACT = { id: 1, number: '5511987654321' };
export const trigger = done((client) => client.flows.trigger({ flowId: 1, whatsappId: 1, contact: CONTACT }));
export const epoch = (from: string) => Date.parse(from) / 1000;
export const field = (from: string, to: string) => eachMessage((item) => rename(item, from, to));
export const change = (name: string, map: (value: Body) => unknown) =>
  eachMessage((item) => {
    item[name] = map(item[name]);
  });
export const drop = (name: string) =>
  eachMessage((item) => {
    delete item[name];
  });
export const word = (value: boolean) => (value ? 'outbound' : 'inbound');
export const large = (id: number) => BigInt(id) * 10n ** 17n + 1n;
