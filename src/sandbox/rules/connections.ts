// Which connection a call uses when it names none (API text, POST /v1/messages/send, rule 3).
import type { Account } from '../account.ts';
import type { Connection } from '../model.ts';

export const isChat = (connection: Connection) =>
  connection.channel === 'whatsapp' || connection.channel === 'waba';

/**
 * The account's default connection; else the first CONNECTED whatsapp/waba one with the lowest id; else the first
 * existing one. `isDefault` has no part in it.
 */
export function defaultConnection(account: Account): Connection | undefined {
  const { defaultConnectionId } = account.settings;
  const chosen =
    defaultConnectionId === null ? undefined : account.tables.connection.get(defaultConnectionId);
  if (chosen !== undefined) return chosen;
  const chats = account.tables.connection.rows.filter(isChat);
  return chats.find((connection) => connection.status === 'CONNECTED') ?? chats[0];
}
