// The whole state of an account in the fixture's shape, as the panel shows it. Key order is the fixture's, so what
// comes out can be read beside what went in.
import type { Account } from './account.ts';
import type { Card, Contact, Conversation, Token } from './model.ts';

const iso = (at: number) => new Date(at).toISOString();
const isoOrNull = (at: number | null) => (at === null ? null : iso(at));
const PIECE = 1_000;

/** The JSON text in pieces: a million contacts do not fit into one string. */
export function* accountJson(account: Account): Generator<Buffer> {
  const { settings, tables } = account;
  yield Buffer.from(
    JSON.stringify({
      id: account.id,
      defaultConnectionId: settings.defaultConnectionId,
      tagMode: settings.tagMode,
      storageLimitReached: settings.storageLimitReached,
      missingFeatures: settings.missingFeatures,
      cardTitlePrefix: settings.cardTitlePrefix,
      tokens: [...account.tokens.values()].map(token),
      connections: tables.connection.rows.map(({ lastWebhookAt: _l, updatedAt: _u, ...rest }) => rest),
      users: tables.user.rows,
      tags: tables.tag.rows,
      sources: tables.source.rows,
      lostReasons: tables.lostReason.rows,
      customFields: settings.customFields,
      pipelines: tables.pipeline.rows,
      flows: tables.flow.rows,
      numbersNotOnNetwork: settings.numbersNotOnNetwork,
      webhooks: [...account.webhooks.values()],
    }).slice(0, -1),
  );
  yield* many('contacts', tables.contact.rows, contact);
  yield* many('conversations', tables.conversation.rows, (row) => conversation(account, row));
  yield* many('cards', tables.card.rows, card);
  yield Buffer.from('}');
}

function* many<T>(key: string, rows: readonly T[], view: (row: T) => unknown): Generator<Buffer> {
  yield Buffer.from(`,${JSON.stringify(key)}:[`);
  for (let from = 0; from < rows.length; from += PIECE) {
    const texts = rows.slice(from, from + PIECE).map((row) => JSON.stringify(view(row)));
    yield Buffer.from((from === 0 ? '' : ',') + texts.join(','));
  }
  yield Buffer.from(']');
}

const token = (row: Token) => ({ ...row, expiresAt: isoOrNull(row.expiresAt) });

/** [name, value, name, value] → [{name, value}] */
export function extraFields(flat: readonly string[]): { name: string; value: string }[] {
  const fields: { name: string; value: string }[] = [];
  for (let i = 0; i < flat.length; i += 2)
    fields.push({ name: flat[i] as string, value: flat[i + 1] as string });
  return fields;
}

const contact = (row: Contact) => ({
  id: row.id,
  number: row.number,
  name: row.name,
  email: row.email,
  document: row.document,
  channel: row.channel,
  disableBot: row.disableBot,
  tagIds: row.tagIds,
  extraInfo: extraFields(row.extraInfo),
});

function conversation(account: Account, row: Conversation): Record<string, unknown> {
  const { createdAt: _created, updatedAt, ...rest } = row;
  const messages = (account.messages.get(row.id) ?? []).map(
    ({ conversationId: _c, id, body, fromMe, at, ...rest }) => ({ id, body, fromMe, at: iso(at), ...rest }),
  );
  return { ...rest, updatedAt: iso(updatedAt), messages };
}

function card(row: Card): Record<string, unknown> {
  const {
    originTicketId: _origin,
    customFields,
    createdAt,
    closedAt,
    stageEnteredAt,
    updatedAt: _u,
    ...rest
  } = row;
  return {
    ...rest,
    createdAt: iso(createdAt),
    closedAt: isoOrNull(closedAt),
    stageEnteredAt: iso(stageEnteredAt),
    ...(customFields === null ? {} : { customFields }),
  };
}
