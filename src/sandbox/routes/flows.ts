// Flows: triggers a flow on a ticket of a contact (API text, "Flows").
import { Problem } from '../http/errors.ts';
import { type Call, isMissing, type Reply, type Route } from '../http/route.ts';
import { triggerFlow } from '../openapi/automation.ts';
import { idIn } from '../openapi/inputs.ts';
import { draftRun, executableFlow, flowConnection } from '../rules/flow-trigger.ts';
import { normalizeNumber } from '../rules/numbers.ts';
import { contactFor } from '../rules/upsert.ts';

// Parsing JSON has no depth limit, but writing has: with about 4,100 levels, a value could be stored but never shown.
const MAX_DEPTH = 1_000;

/** Goes level by level, because a recursion would reach the very limit that this check prevents. */
function isDeeper(value: unknown, levels: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > levels) return true;
    level = level
      .filter((each) => typeof each === 'object' && each !== null)
      .flatMap((each) => Object.values(each as object));
  }
  return false;
}

/** Makes all checks in the order of the API text. It stores nothing before all pass. */
function trigger(call: Call): Reply {
  const { body, store } = call;
  if (isMissing(body['flowId']) || isMissing(body['whatsappId'])) {
    throw new Problem('ERR_FLOW_ID_AND_WHATSAPP_ID_REQUIRED');
  }
  const variables = body['variables'] === undefined ? {} : body['variables'];
  if (typeof variables !== 'object' || variables === null || Array.isArray(variables)) {
    throw new Problem('ERR_VARIABLES_MUST_BE_OBJECT');
  }
  if (isDeeper(variables, MAX_DEPTH)) {
    throw new Problem('ERR_INVALID_BODY', { text: `variables: nested deeper than ${MAX_DEPTH} levels` });
  }
  const flow = executableFlow(call, body['flowId']);
  const connection = flowConnection(call, body['whatsappId']);
  const { contact, ops } = findContact(call);
  const { run, ops: runOps } = draftRun(call, {
    flow,
    connection,
    contact,
    variables: variables as Record<string, unknown>,
  });
  store.commit([...ops, ...runOps]);
  return {
    status: 202,
    body: {
      executionId: run.id,
      flowId: flow.id,
      ticketId: run.ticketId,
      contactId: contact.id,
      whatsappId: connection.id,
    },
  };
}

/** Finds the contact by id or by number. A new number creates a contact. */
function findContact(call: Call) {
  const { account, body, choices } = call;
  const inputs = choices.flowContact;
  const byId = !isMissing(body[inputs.contactId]);
  if (byId !== isMissing(body[inputs.number])) throw new Problem('ERR_CONTACT_IDENTIFIER_REQUIRED');
  if (byId) {
    const contact = account.tables.contact.get(idIn(body[inputs.contactId]) ?? Number.NaN);
    if (contact === undefined) throw new Problem('ERR_NO_CONTACT_FOUND');
    return { contact, ops: [] };
  }
  const raw = body[inputs.number];
  if (typeof raw !== 'string') {
    throw new Problem('ERR_INVALID_BODY', { text: `${inputs.number}: write the number as a string` });
  }
  return contactFor(call, normalizeNumber(raw, choices));
}

export const flowRoutes: readonly Route[] = [
  {
    method: 'post',
    path: '/v1/flows/trigger',
    scope: 'flows:trigger',
    operation: triggerFlow,
    handle: trigger,
  },
];
