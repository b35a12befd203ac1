// Processes a webhook call after its answer: one of three actions, in one transaction.

import { Problem } from '../http/errors.ts';
import type { Scene } from '../http/route.ts';
import type { SandboxParts } from '../parts.ts';
import { draftCard } from '../rules/card-create.ts';
import { draftRun, executableFlow, flowConnection } from '../rules/flow-trigger.ts';
import { contactFor } from '../rules/upsert.ts';
import type { Account } from '../state/account.ts';
import type { Card, Contact, HookAction, HookCall, HookResult, Op, Webhook } from '../state/model.ts';
import { asNumber, asText, resolvePath } from './mapping.ts';

type Done = Extract<HookResult, { status: 'done' }>;

interface Outcome {
  readonly ops: readonly Op[];
  readonly result: HookResult;
  /** Card to publish on the board. */
  readonly card?: Card;
}

interface Job extends Scene {
  readonly webhook: Webhook;
  readonly payload: unknown;
  /** The value that the payload has for a mapped field. */
  readonly mapped: (field: string) => unknown;
  readonly contact: Contact;
  readonly isNew: boolean;
}

const CUSTOM = 'custom.';

const ACTIONS: { readonly [K in HookAction]: (job: Job, contactOps: readonly Op[]) => Outcome } = {
  upsert_contact: (job, contactOps) => {
    const email = asText(job.mapped('email'));
    const document = asText(job.mapped('document'));
    if (email === undefined && document === undefined) return done(job, contactOps, {});
    const contact: Contact = {
      ...job.contact,
      ...(email === undefined ? {} : { email }),
      ...(document === undefined ? {} : { document }),
      updatedAt: job.at,
    };
    return done(job, [['contact', job.account.id, contact]], {});
  },
  create_opportunity: (job, contactOps) => {
    const { account, webhook, contact, mapped } = job;
    const pipeline = account.tables.pipeline.get(webhook.pipelineId ?? 0);
    if (pipeline === undefined) throw new Problem('ERR_PIPELINE_NOT_FOUND');
    const stage = webhook.stageId === null ? null : account.stage(webhook.stageId);
    if (stage === undefined || (stage !== null && stage.pipelineId !== pipeline.id)) {
      throw new Problem('ERR_STAGE_NOT_IN_PIPELINE');
    }
    const value = asNumber(mapped('value'));
    const notes = asText(mapped('notes'));
    const custom = Object.keys(webhook.fieldMapping)
      .filter((field) => field.startsWith(CUSTOM))
      .map((field) => [field.slice(CUSTOM.length), mapped(field)] as const)
      .filter(([, each]) => each !== undefined);
    const { card, ignored } = draftCard(job, {
      contact,
      pipeline,
      stage: stage?.stage ?? null,
      sourceId: null,
      title: asText(mapped('title')),
      value,
      notes,
      expectedCloseDate: null,
      customFields: Object.fromEntries(custom),
    });
    const extras = { cardId: card.id, ...(ignored.length === 0 ? {} : { ignoredCustomFields: ignored }) };
    return { ...done(job, [...contactOps, ['card', account.id, card]], extras), card };
  },
  trigger_flow: (job, contactOps) => {
    const flow = executableFlow(job, job.webhook.flowId);
    const connection = flowConnection(job, job.webhook.connectionId);
    const { run, ops } = draftRun(job, { flow, connection, contact: job.contact, variables: {} });
    return done(job, [...contactOps, ...ops], { flowRunId: run.id, ticketId: run.ticketId });
  },
};

function done({ contact, isNew }: Job, ops: readonly Op[], extras: Partial<Done>): Outcome {
  return { ops, result: { status: 'done', contactId: contact.id, contactCreated: isNew, ...extras } };
}

/** @throws Problem if the call can't be processed; the caller never sees it, the history shows it */
function command(scene: Scene, webhook: Webhook, body: string): Outcome {
  const payload: unknown = JSON.parse(body);
  const mapped = (field: string) => {
    const path = webhook.fieldMapping[field];
    return path === undefined ? undefined : resolvePath(payload, path);
  };
  const phone = asText(mapped('phone'))?.replace(/\D/g, '') ?? '';
  const { min, max } = scene.choices.hookPhoneDigits;
  if (phone.length < min || phone.length > max) {
    throw new Problem('ERR_NUMBER_INVALID', { text: 'fieldMapping.phone does not resolve to a valid phone' });
  }
  const { contact, isNew, ops } = contactFor(scene, phone, asText(mapped('contactName')));
  return ACTIONS[webhook.action]({ ...scene, webhook, payload, mapped, contact, isNew }, ops);
}

/** Processes one waiting call, and writes its effect and result together. Never throws. */
export function processCall(parts: SandboxParts, account: Account, call: HookCall): void {
  const { store, choices, now, board, warn } = parts;
  const webhook = account.webhooks.get(call.hash) as Webhook;
  try {
    const { ops, result, card } = outcomeOf({ account, store, choices, at: now().getTime() }, webhook, call);
    store.commit([...ops, ['hookCall', account.id, { ...call, result }]]);
    if (card !== undefined) board.publish(account.id, card, null);
  } catch (error) {
    // The call stays pending. The next start processes it.
    warn(`internal error in a webhook: ${error instanceof Error ? error.stack : String(error)}`);
  }
}

function outcomeOf(scene: Scene, webhook: Webhook, call: HookCall): Outcome {
  try {
    return command(scene, webhook, call.body);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { ops: [], result: { status: 'failed', code: error.code, reason: error.message } };
  }
}

/** Processes the calls that were acknowledged but not processed before the process ended. */
export function resumeCalls(parts: SandboxParts): void {
  for (const account of parts.store.accounts.values()) {
    for (const call of account.tables.hookCall.rows) {
      if (call.result.status === 'pending') parts.background.add(() => processCall(parts, account, call));
    }
  }
}
