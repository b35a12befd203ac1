// Chooses the connection of a call (API text, POST /v1/messages/send, rules 3 and 4).

import { Problem } from '../http/errors.ts';
import { isMissing } from '../http/route.ts';
import { idIn } from '../openapi/inputs.ts';
import type { Account } from '../state/account.ts';
import type { Connection } from '../state/model.ts';

export const isChat = (connection: Connection) =>
  connection.channel === 'whatsapp' || connection.channel === 'waba';

/**
 * Returns the account's default connection, else the CONNECTED whatsapp or waba connection with the lowest id, else the
 * first existing one. `isDefault` has no effect.
 */
export function defaultConnection(account: Account): Connection | undefined {
  const { defaultConnectionId } = account.settings;
  const chosen =
    defaultConnectionId === null ? undefined : account.tables.connection.get(defaultConnectionId);
  if (chosen !== undefined) return chosen;
  const chats = account.tables.connection.rows.filter(isChat);
  return chats.find((connection) => connection.status === 'CONNECTED') ?? chats[0];
}

/**
 * Returns the connection of a send: by id, else by name, else the default one.
 * @throws Problem ERR_CONNECTION_NOT_FOUND, ERR_NO_CONNECTION_AVAILABLE, ERR_UNSUPPORTED_CHANNEL
 */
export function outgoingConnection(
  account: Account,
  { whatsappId, whatsappName }: { readonly whatsappId?: unknown; readonly whatsappName?: unknown },
): Connection {
  const { connection: table } = account.tables;
  const isNamed = !isMissing(whatsappId) || !isMissing(whatsappName);
  const connection = !isMissing(whatsappId)
    ? table.get(idIn(whatsappId) ?? Number.NaN)
    : isNamed
      ? table.rows.find((row) => row.name === whatsappName)
      : defaultConnection(account);
  if (connection === undefined) {
    throw new Problem(isNamed ? 'ERR_CONNECTION_NOT_FOUND' : 'ERR_NO_CONNECTION_AVAILABLE');
  }
  if (!isChat(connection)) throw new Problem('ERR_UNSUPPORTED_CHANNEL');
  return connection;
}
