// Compiles the action of a route and applies it to events. An event as one object goes in; the requested action and its
// subject come out, or the reasons why there is none.

import { cardSubject, conversationSubject, personSubject } from '../../../core/ids.ts';
import type { RowProblem } from '../../../core/record.ts';
import { requireSafeName } from '../../../mapping/columns.ts';
import type { MappingConfig } from '../../../mapping/config.ts';
import { MappingConfigError } from '../../../mapping/errors.ts';
import { ExpressionCompiler, type RowView } from '../../../mapping/expression/expression.ts';
import { compileTags } from '../../../mapping/fields.ts';
import { compileMapping } from '../../../mapping/index.ts';
import {
  overRows,
  type Part,
  partOf,
  type Report,
  required,
  requirePhoneRules,
  toNumber,
  toProblem,
} from '../../../mapping/parts.ts';
import { canonicalKey } from '../../../mapping/phone/index.ts';
import { foldCase, isEmpty } from '../../../mapping/text.ts';
import { toCustomValue, toFlowId } from '../../../mapping/values.ts';
import type { FlowAction, LeadAction, RouteAction, TagsAction } from '../config-actions.ts';
import type { EventRequest, RequestOf } from '../contract/intake.ts';
import { compileMessage } from './action-message.ts';
import { compileStage } from './action-stage.ts';

/** `warnings` list values of a lead that were left out while the person was kept, as in syncs. */
export type ActionResult =
  | {
      readonly ok: true;
      readonly request: EventRequest;
      readonly subject: string;
      readonly warnings: readonly RowProblem[];
    }
  | { readonly ok: false; readonly problems: RowProblem[] };

export interface CompiledAction {
  /** Returns a promise only if expressions use JSONata. The same event always requests the same action. */
  apply(view: Readonly<Record<string, unknown>>): ActionResult | Promise<ActionResult>;
  /** Names and dot-paths that the action reads, except those inside JSONata. */
  readonly columns: readonly string[];
}

/**
 * Checks and compiles an action.
 * @param mapping the mapping that a `lead` action names; null for all others
 * @throws MappingConfigError for an action that cannot work; its path begins at the action, or after `mapping` at the
 * mapping
 */
export function compileAction(action: RouteAction, mapping: MappingConfig | null): CompiledAction {
  if (action.type === 'lead') return compileLead(action, mapping);
  const compiler = new ExpressionCompiler();
  const part = compilePart(action, compiler);
  const finish = (row: RowView): ActionResult => {
    const problems: RowProblem[] = [];
    const report: Report = (field, error, _kind, columns) => problems.push(toProblem(field, error, columns));
    const request = part(row, report);
    if (problems.length > 0 || request === undefined) return { ok: false, problems };
    return { ok: true, request, subject: subjectOf(request), warnings: [] };
  };
  return { columns: compiler.columns.names, apply: overRows(compiler, finish) };
}

type EffectAction = Exclude<RouteAction, LeadAction>;

function compilePart(action: EffectAction, compiler: ExpressionCompiler): Part<EventRequest | undefined> {
  switch (action.type) {
    case 'message':
      return compileMessage(action, compiler);
    case 'flow':
      return compileFlow(action, compiler);
    case 'stage':
      return compileStage(action, compiler);
    case 'tags':
      return compileTagChange(action, compiler);
  }
}

function compileLead(action: LeadAction, mapping: MappingConfig | null): CompiledAction {
  if (mapping === null) throw new MappingConfigError(['mapping'], `there is no mapping "${action.mapping}"`);
  if (action.moveCard && mapping.card?.stage === undefined) {
    const problem = `the mapping "${action.mapping}" names no stage, so no card is ever moved; leave this out, or give the mapping card.stage`;
    throw new MappingConfigError(['moveCard'], problem);
  }
  const { columns, apply } = compileUnder('mapping', mapping);
  const finish = (result: Awaited<ReturnType<typeof apply>>): ActionResult => {
    if (!result.ok) return result;
    const { record, warnings } = result;
    const request: EventRequest = { type: 'lead', record };
    return { ok: true, request, subject: subjectOf(request), warnings };
  };
  return {
    columns,
    apply(view) {
      const result = apply(view);
      return result instanceof Promise ? result.then(finish) : finish(result);
    },
  };
}

function compileUnder(key: string, mapping: MappingConfig) {
  try {
    return compileMapping(mapping);
  } catch (error) {
    if (!(error instanceof MappingConfigError)) throw error;
    throw new MappingConfigError([key, ...error.path], error.problem, { cause: error });
  }
}

/**
 * Events of one subject run in order: those about a person, and those about a conversation or card known only by its
 * id.
 */
export function subjectOf(request: EventRequest): string {
  switch (request.type) {
    case 'lead':
      return personSubject(request.record.key);
    case 'message':
      return 'key' in request.to
        ? personSubject(request.to.key)
        : conversationSubject(request.to.conversation);
    case 'stage':
      return 'key' in request.of ? personSubject(request.of.key) : cardSubject(request.of.card);
    case 'flow':
    case 'tags':
      return personSubject(request.key);
  }
}

function compileFlow(config: FlowAction, compiler: ExpressionCompiler): Part<RequestOf<'flow'> | undefined> {
  const rules = requirePhoneRules(config);
  const number = partOf(compiler, config.number, ['number'], (value) => toNumber(value, rules));
  const fixed = typeof config.flow === 'number' ? config.flow : null;
  const toFlow = required(toFlowId, 'the id of the flow is required; fill it, or write it into the action');
  const flow =
    typeof config.flow === 'number' ? () => fixed : partOf(compiler, config.flow, ['flow'], toFlow);
  const variables = Object.entries(config.variables).map(([name, expression]) => {
    const at = ['variables', name];
    requireSafeName(name, at);
    return { name, value: partOf(compiler, expression, at, toCustomValue) };
  });
  return (row, report) => {
    const person = number(row, report);
    const id = flow(row, report);
    const values: Record<string, unknown> = {};
    for (const { name, value } of variables) {
      const found = value(row, report);
      if (!isEmpty(found)) values[name] = found;
    }
    if (person === undefined || id === undefined || id === null) return undefined;
    const { connection } = config;
    return {
      type: 'flow',
      number: person,
      key: canonicalKey(person),
      flow: id,
      connection,
      variables: values,
    };
  };
}

/** A tag that an event both adds and removes is added: the tag of a new state may equal that of the old one. */
function compileTagChange(
  config: TagsAction,
  compiler: ExpressionCompiler,
): Part<RequestOf<'tags'> | undefined> {
  if (config.add.length === 0 && config.remove.length === 0) {
    throw new MappingConfigError([], 'there are no tags to add or to remove; list some under add or remove');
  }
  const rules = requirePhoneRules(config);
  const number = partOf(compiler, config.number, ['number'], (value) => toNumber(value, rules));
  const adds = compileTags(config.add, compiler, 'add');
  const removes = compileTags(config.remove, compiler, 'remove');
  return (row, report) => {
    const person = number(row, report);
    const add = adds(row, report);
    const added = new Set(add.map(foldCase));
    const remove = removes(row, report).filter((tag) => !added.has(foldCase(tag)));
    return person === undefined
      ? undefined
      : { type: 'tags', number: person, key: canonicalKey(person), add, remove };
  };
}
