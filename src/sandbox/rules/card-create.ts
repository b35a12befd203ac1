// Creates a card: checks rules 1 to 8 of POST /v1/cards in that order, and stores nothing before all pass.
import { z } from 'zod';
import { Problem } from '../http/errors.ts';
import { type Call, checked, isMissing, type Scene } from '../http/route.ts';
import { CardFields, idIn } from '../openapi/inputs.ts';
import type { Card, Contact, CustomField, FieldType, Op, Pipeline, Stage } from '../state/model.ts';
import { calendarDay } from './dates.ts';
import { normalizeNumber } from './numbers.ts';
import { contactFor } from './upsert.ts';

const Phone = z.object({ phone: z.string() });

/** @returns the card and the names of the ignored custom fields. @throws Problem, see the rules */
export function createCard(call: Call): { readonly card: Card; readonly ignored: string[] } {
  const { account, body, choices } = call;
  const contactOf = identify(call);
  const pipeline = findPipeline(call);
  const stage = findStage(call, pipeline);
  const sourceId = findSource(call, stage);
  const inputs = checked(CardFields, {
    title: body[choices.cardInputs.title],
    expectedCloseDate: body[choices.cardInputs.expectedCloseDate],
    contactName: body[choices.cardInputs.contactName],
    customFields: body['customFields'],
  });
  const expectedCloseDate = closeDate(inputs.expectedCloseDate, choices.cardInputs.expectedCloseDate);
  const { contact, ops } = contactOf(inputs.contactName);
  const { card, ignored } = draftCard(call, {
    contact,
    pipeline,
    stage,
    sourceId,
    title: inputs.title,
    expectedCloseDate,
    customFields: inputs.customFields ?? {},
  });
  call.store.commit([...ops, ['card', account.id, card]]);
  call.board.publish(account.id, card, null);
  return { card, ignored };
}

export interface CardInput {
  readonly contact: Contact;
  readonly pipeline: Pipeline;
  readonly stage: Stage | null;
  readonly sourceId: number | null;
  readonly title: string | null | undefined;
  readonly value?: number;
  readonly notes?: string;
  readonly expectedCloseDate: string | null;
  readonly customFields: Readonly<Record<string, unknown>>;
}

/** Returns a new card of checked parts, not stored yet. `ignored` names the omitted custom fields (rule 7). */
export function draftCard({ account, store, at }: Scene, input: CardInput) {
  const { contact, pipeline, stage, sourceId, title, notes, expectedCloseDate } = input;
  const custom = sortCustomFields(input.customFields, account.settings.customFields, pipeline.id);
  const card: Card = {
    id: store.nextId('card'),
    contactId: contact.id,
    pipelineId: pipeline.id,
    stageId: stage?.id ?? null,
    title: isMissing(title) ? `${account.settings.cardTitlePrefix}${contact.name}` : (title as string),
    value: input.value ?? 0,
    status: 'open',
    userId: null,
    sourceId,
    lostReasonId: null,
    originTicketId: null,
    expectedCloseDate,
    customFields: custom.kept,
    ...(notes === undefined ? {} : { notes }),
    createdAt: at,
    closedAt: null,
    stageEnteredAt: at,
    updatedAt: at,
  };
  return { card, ignored: custom.ignored };
}

type ContactOf = (name: string | null | undefined) => { readonly contact: Contact; readonly ops: Op[] };

/** Rule 1, then the contact itself. A new contact is created only after all rules pass. */
function identify(call: Call): ContactOf {
  const { account, body, choices } = call;
  const byId = !isMissing(body['contactId']);
  if (byId !== isMissing(body['phone'])) throw new Problem('ERR_CONTACT_IDENTIFIER_REQUIRED');
  if (byId) {
    const id = idIn(body['contactId']);
    const contact = id === undefined ? undefined : account.tables.contact.get(id);
    if (contact === undefined) throw new Problem('ERR_NO_CONTACT_FOUND');
    return () => ({ contact, ops: [] });
  }
  const number = normalizeNumber(checked(Phone, body).phone, choices);
  return (name) => contactFor(call, number, name);
}

function findPipeline({ account, body }: Call): Pipeline {
  const id = idIn(body['pipelineId']);
  const pipeline = id !== undefined ? account.tables.pipeline.get(id) : undefined;
  if (pipeline === undefined) throw new Problem('ERR_PIPELINE_NOT_FOUND');
  return pipeline;
}

/** Rules 3 and 4. */
function findStage({ account, body }: Call, pipeline: Pipeline): Stage | null {
  if (isMissing(body['stageId'])) return null;
  const id = idIn(body['stageId']);
  const found = id !== undefined ? account.stage(id) : undefined;
  if (found === undefined) throw new Problem('ERR_STAGE_NOT_FOUND');
  if (found.pipelineId !== pipeline.id) throw new Problem('ERR_STAGE_NOT_IN_PIPELINE');
  return found.stage;
}

/** Rules 5 and 6. */
function findSource({ account, body }: Call, stage: Stage | null): number | null {
  if (isMissing(body['sourceId'])) {
    if (stage?.requiresSource === true) throw new Problem('ERR_SOURCE_REQUIRED_FOR_STAGE');
    return null;
  }
  const id = idIn(body['sourceId']);
  const source = id !== undefined ? account.tables.source.get(id) : undefined;
  if (source === undefined) throw new Problem('ERR_SOURCE_NOT_FOUND');
  return source.id;
}

function closeDate(given: string | null | undefined, input: string): string | null {
  if (given === undefined || given === null || given === '') return null;
  const day = calendarDay(given);
  if (day === null)
    throw new Problem('ERR_INVALID_BODY', { text: `${input}: write YYYY-MM-DD or a full ISO 8601 value` });
  return day;
}

const ACCEPTS: { readonly [K in FieldType]: (value: unknown, options: readonly string[]) => boolean } = {
  text: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number' && Number.isFinite(value),
  date: (value) => typeof value === 'string' && calendarDay(value) !== null,
  boolean: (value) => typeof value === 'boolean',
  select: (value, options) => typeof value === 'string' && options.includes(value),
  multiselect: (value, options) =>
    Array.isArray(value) && value.every((item) => typeof item === 'string' && options.includes(item)),
};

/** Rule 7: invalid custom fields are ignored. A field of the pipeline wins over a global one of the same name. */
export function sortCustomFields(
  given: Readonly<Record<string, unknown>>,
  fields: readonly CustomField[],
  pipelineId: number,
): { readonly kept: Record<string, unknown> | null; readonly ignored: string[] } {
  const kept: [string, unknown][] = [];
  const ignored: string[] = [];
  for (const [name, value] of Object.entries(given)) {
    const named = fields.filter((field) => field.name === name);
    const field =
      named.find((each) => each.pipelineId === pipelineId) ?? named.find((each) => each.pipelineId === null);
    if (field !== undefined && ACCEPTS[field.type](value, field.options)) kept.push([name, value]);
    else ignored.push(name);
  }
  return { kept: kept.length === 0 ? null : Object.fromEntries(kept), ignored };
}
