// Every log statement of the sources: its fields are known ones, and what is put into its message was reviewed. So a
// phone, a name or an operator's own words cannot get into a log by a new statement unnoticed.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseAst } from 'vite';
import { describe, expect, it } from 'vitest';
import { LOG_FIELDS } from '../../../src/observe/log-fields.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const LEVEL = /^(?:trace|debug|info|warn|error|fatal)$/;
const LOGGER = /(?:^|[.#])(?:log|logger|repeating)$/i;

/** Fields that come from elsewhere. Their statements were reviewed; the logger omits unknown names at run time. */
const PASSED_FIELDS: Readonly<Record<string, string>> = {
  'activities/conversations/index.ts: byOperator(command)': 'account, poller and user name',
  'activities/shared/write-once.ts: subject.where': 'ids of the subject',
  'src/jobs/events/ingress/http/log.ts: fields':
    'fields of the statements that call it, which are checked too',
  'src/jobs/events/ingress/kafka/ingress.ts: describeKafkaError(error)': 'code and a text of Sluice',
  'src/jobs/events/ingress/kafka/pauses.ts: details': 'code, or kind and places of an error',
  'src/connectors/kafka/client.ts: fields': 'fields of the Kafka client, at level debug',
  'workers/snapshots.ts: fields': 'of sinks',
  'workflows/conversation-polling.ts: this.#poller': 'account and poller',
  'workflows/shared/pause.ts: described(pause)': 'user name, or the reason that Sluice gives',
  'workflows/shared/pause.ts: described(command)': 'user name',
};

/** Texts in messages: names and reasons that Sluice writes itself, without values of customers or operators. */
const PASSED_TEXTS = new Set([
  'activities/campaigns/trigger/call.ts: reason',
  'activities/events/effects/effect.ts: step',
  'activities/events/work-event.ts: reason',
  'activities/outbox/outbox-batch.ts: found',
  'activities/outbox/outbox-batch.ts: fault.reason',
  "activities/outbox/outbox-batch.ts: failure?.reason ?? ''",
  'activities/conversations/index.ts: block.reason',
  'activities/shared/api-call.ts: what',
  'activities/records/run-step.ts: step',
  'activities/records/verify-write.ts: reason',
  'src/jobs/events/ingress/kafka/assignments.ts: message',
  'src/jobs/events/ingress/kafka/dead-letters.ts: error.message',
  'src/jobs/events/ingress/kafka/ingress.ts: message',
  'src/jobs/events/ingress/kafka/pauses.ts: message',
  'src/jobs/events/ingress/kafka/topics.ts: hints(topic)',
  'src/connectors/kafka/client.ts: message',
  'src/app/admin.ts: error',
  'src/jobs/events/ingress/http/log.ts: message',
  'workers/snapshots.ts: message',
  'workers/own/create-worker.ts: line',
]);

/** Statements whose `reason` is one that Sluice or the service gives. An operator's own reason stays in the ledger. */
const REASONS = new Set([
  'src/config/live-config.ts',
  'workflows/conversation-polling.ts',
  'workflows/crm-sync.ts',
  'workflows/delivery-watch.ts',
  'workflows/lead-intake.ts',
  'workflows/shared/campaign-commands.ts',
  'workflows/shared/overlap.ts',
]);

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

interface Statement {
  readonly file: string;
  readonly text: string;
  readonly fields: readonly string[];
  readonly passedFields: readonly string[];
  readonly passedTexts: readonly string[];
}

function statementsOf(file: string, code: string): Statement[] {
  const found: Statement[] = [];
  const constants = new Map<string, Node>();
  const textOf = (node: Node) => code.slice(node.start, node.end).replace(/\s+/g, ' ');
  const visit = (value: unknown, at: (node: Node) => void): void => {
    if (Array.isArray(value)) for (const each of value) visit(each, at);
    else if (isNode(value)) {
      at(value);
      for (const each of Object.values(value)) visit(each, at);
    }
  };
  const program = parseAst(code, { lang: 'ts' }, file) as unknown as Node;
  visit(program.body, (node) => {
    if (node.type === 'VariableDeclarator' && isNode(node.init) && (node.id as Node).type === 'Identifier')
      constants.set((node.id as Node).name as string, node.init);
  });

  const readFields = (node: Node, fields: string[], passed: string[]): void => {
    if (node.type === 'ConditionalExpression')
      for (const each of [node.consequent, node.alternate] as Node[]) readFields(each, fields, passed);
    else if (node.type === 'ObjectExpression')
      for (const each of node.properties as Node[]) {
        if (each.type === 'SpreadElement') readFields(each.argument as Node, fields, passed);
        else fields.push(textOf(each.key as Node));
      }
    else {
      const known = node.type === 'Identifier' ? constants.get(node.name as string) : undefined;
      if (known?.type === 'ObjectExpression' || known?.type === 'ConditionalExpression')
        readFields(known, fields, passed);
      else passed.push(`${file}: ${textOf(node)}`);
    }
  };
  const readText = (node: Node, passed: string[]): void => {
    if (node.type === 'ConditionalExpression')
      for (const each of [node.consequent, node.alternate] as Node[]) readText(each, passed);
    else if (node.type === 'TemplateLiteral')
      for (const each of node.expressions as Node[]) readText(each, passed);
    // An entry of a constant is a fixed word.
    else if (node.type !== 'Literal' && !/^[A-Z][A-Z_]+[.[]/.test(textOf(node)))
      passed.push(`${file}: ${textOf(node)}`);
  };
  visit(program.body, (node) => {
    if (node.type !== 'CallExpression') return;
    const callee = node.callee as Node;
    if (callee.type !== 'MemberExpression' || !LEVEL.test(textOf(callee.property as Node))) return;
    if (!LOGGER.test(textOf(callee.object as Node))) return;
    const fields: string[] = [];
    const passedFields: string[] = [];
    const passedTexts: string[] = [];
    let given = node.arguments as Node[];
    // Refusals that repeat have the kind first; logs of workflows have the message first.
    if (textOf(callee.object as Node) === 'repeating') given = given.slice(1);
    if (file.startsWith('workflows/')) given = given.toReversed();
    const [about, message] = given.length === 1 ? [undefined, given[0]] : given;
    if (about !== undefined) readFields(about, fields, passedFields);
    if (message !== undefined) readText(message, passedTexts);
    found.push({ file, text: textOf(node), fields, passedFields, passedTexts });
  });
  return found;
}

function isNode(value: unknown): value is Node {
  return (
    typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'
  );
}

/** The console is a program of the browser. The sandbox stands in for the service. */
const files = ['src', 'activities', 'workers', 'workflows']
  .flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`),
  )
  .filter((file) => /\.tsx?$/.test(file) && !/^src\/(?:console|sandbox)\//.test(file));
const statements = files.flatMap((file) => statementsOf(file, readFileSync(join(ROOT, file), 'utf8')));

describe('the scan', () => {
  it('finds the statements', () => {
    expect(statements.length).toBeGreaterThan(75);
  });

  it('sees fields through spreads, constants and conditions, and texts in templates', () => {
    const code = `
      const where = cond ? { phone } : { ...more };
      deps.log.warn({ ...where, 'name': 1, run }, \`lost \${name}\`);
      this.#log.error(about, cond ? text : 'plain');
      other.warn('not a log');`;
    expect(statementsOf('a.ts', code)).toMatchObject([
      { fields: ['phone', "'name'", 'run'], passedFields: ['a.ts: more'], passedTexts: ['a.ts: name'] },
      { fields: [], passedFields: ['a.ts: about'], passedTexts: ['a.ts: text'] },
    ]);
  });
});

it('every field is a known one', () => {
  const unknown = statements.flatMap(({ file, text, fields }) =>
    fields.filter((each) => !Object.hasOwn(LOG_FIELDS, each)).map((each) => `${file}: ${each} in ${text}`),
  );
  expect(unknown).toEqual([]);
});

it('fields and texts from elsewhere were reviewed: add yours above if nobody else wrote a part of it', () => {
  const fields = statements.flatMap(({ passedFields }) => passedFields);
  expect(fields.filter((each) => !Object.hasOwn(PASSED_FIELDS, each))).toEqual([]);
  const texts = statements.flatMap(({ passedTexts }) => passedTexts);
  expect(texts.filter((each) => !PASSED_TEXTS.has(each))).toEqual([]);
});

it("no statement has an operator's own reason", () => {
  const found = new Set(statements.filter(({ fields }) => fields.includes('reason')).map(({ file }) => file));
  expect([...found].filter((file) => !REASONS.has(file))).toEqual([]);
});

it('nothing writes around the logger', () => {
  const around = files.filter(
    (file) =>
      !/^(?:src\/cli|src\/doctor)\//.test(file) &&
      /^(?! *(?:\*|\/\/)).*\bconsole\.\w+\(/m.test(readFileSync(join(ROOT, file), 'utf8')),
  );
  expect(around).toEqual([]);
});
