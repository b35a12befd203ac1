// Starts a flow on a ticket of a contact (API text, POST /v1/flows/trigger). The webhook receiver uses it, too.
import { Problem } from '../http/errors.ts';
import type { Scene } from '../http/route.ts';
import { idIn } from '../openapi/inputs.ts';
import type { Connection, Contact, Flow, FlowRun, Op } from '../state/model.ts';
import { isChat } from './connections.ts';
import { conversationFor, humanService } from './conversations.ts';

/**
 * @throws Problem ERR_FLOW_NOT_FOUND, ERR_FLOW_NOT_EXECUTABLE. An executable flow is active, published and has nodes.
 */
export function executableFlow({ account }: Scene, flowId: unknown): Flow {
  const flow = account.tables.flow.get(idIn(flowId) ?? Number.NaN);
  if (flow === undefined) throw new Problem('ERR_FLOW_NOT_FOUND');
  if (!flow.active || !flow.published || flow.nodes === 0) throw new Problem('ERR_FLOW_NOT_EXECUTABLE');
  return flow;
}

/** @throws Problem 404 with the chosen code, 422 ERR_UNSUPPORTED_CHANNEL */
export function flowConnection({ account, choices }: Scene, connectionId: unknown): Connection {
  const connection = account.tables.connection.get(idIn(connectionId) ?? Number.NaN);
  if (connection === undefined) throw new Problem(choices.flowConnectionCode);
  if (!isChat(connection)) throw new Problem('ERR_UNSUPPORTED_CHANNEL', { status: 422 });
  return connection;
}

/**
 * Returns a new run and its changes, including the ticket. The chatbot takes over the ticket.
 * @throws Problem ERR_TICKET_IN_HUMAN_SERVICE with ticketId
 */
export function draftRun(
  scene: Scene,
  parts: {
    readonly flow: Flow;
    readonly connection: Connection;
    readonly contact: Contact;
    readonly variables: Readonly<Record<string, unknown>>;
  },
): { readonly run: FlowRun; readonly ops: Op[] } {
  const { account, store, at } = scene;
  const { flow, connection, contact, variables } = parts;
  const served = humanService(account, contact.id);
  if (served !== undefined) {
    throw new Problem('ERR_TICKET_IN_HUMAN_SERVICE', { extras: { ticketId: served.id } });
  }
  const conversation = conversationFor(scene, contact, connection, { status: 'open', chatbot: true });
  const run: FlowRun = {
    id: store.nextId('flowRun'),
    at,
    flowId: flow.id,
    contactId: contact.id,
    ticketId: conversation.id,
    connectionId: connection.id,
    variables,
  };
  return {
    run,
    ops: [
      ['conversation', account.id, conversation],
      ['flowRun', account.id, run],
    ],
  };
}
