// docs/reference/events.md: every event that sinks receive, out of the AsyncAPI document.
import { EVENT_CONTENT_TYPE } from '../../src/connectors/sinks/event.ts';
import { EVENT_TYPES, MESSAGES, schemasOf } from '../../src/jobs/outbox/asyncapi/messages.ts';
import { code, fence, GENERATED, item, page, plain, wrap } from './markdown.ts';

/** The part of JSON Schema that events use. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly required?: readonly string[];
}

const INTRO = `Sluice publishes [CloudEvents 1.0](https://cloudevents.io) in structured mode, with the content type ${code(EVENT_CONTENT_TYPE)}. \`npx sluice asyncapi\` prints the same events as an AsyncAPI 3.0 document, with your sinks as channels.`;
const RULES = [
  '**At least once.** A repeated event has the same `id`. Drop events whose `id` you have seen.',
  '**In order within a `partitionkey`**: one conversation, one sync, one run or one member of a campaign, one opt-out, or one refused delivery. There is no order across keys.',
  '**Who gets what.** The rules under `announce` of an account select types of events for a sink. A rule without `events` selects all types of conversations, and no others: name the types of campaigns, opt-outs and dead letters that you want. Ends of runs of a sync go to the sink in its `announce`. See [configuration](configuration.md).',
  '**Personal data.** Events of conversations contain names, numbers and messages. Events of members of a campaign and of opt-outs contain the number. Events of dead letters contain nothing of the delivery. Events of runs contain counts and warnings. A warning quotes no value of a row, except the name of a tag that the account lacks (`UNKNOWN_TAG`).',
  '**New fields** may be added. Ignore fields that you do not know.',
];

/** The page docs/reference/events.md. */
export function renderEvents(): string {
  const schemas = schemasOf() as Readonly<Record<string, Schema>>;
  const envelope = Object.entries(schemas.RunEnded?.properties ?? {}).filter(([key]) => key !== 'data');
  const types = EVENT_TYPES.flatMap((type) => {
    const { summary, schema, example } = MESSAGES[type];
    return [
      `## ${code(type)}`,
      wrap(plain(summary)),
      wrap(`Fields: [${schema}](#${schema.toLowerCase()}).`),
      fence('json', JSON.stringify(example, null, 2)),
    ];
  });
  const shared = Object.entries(schemas)
    .filter(([name]) => !EVENT_TYPES.some((type) => type === name))
    .flatMap(([name, schema]) => [`### ${name}`, renderData(schema)]);
  return page(
    '# Events',
    GENERATED,
    wrap(INTRO),
    RULES.map((text) => item(text)).join('\n'),
    '## Envelope',
    'Every event has these attributes.',
    envelope
      .map(([key, schema]) => item(`${code(key)}: ${ENVELOPE[key] ?? plain(schema.description ?? '')}`))
      .join('\n'),
    ...types,
    '## Fields of `data`',
    ...shared,
  );
}

const ENVELOPE: Readonly<Record<string, string>> = {
  specversion: '`1.0`.',
  id: 'Identifies the event. A repeated event has the same id.',
  source:
    '`/sluice/accounts/{account}/` and what it is about: `conversations/{id}`, `syncs/{sync}`, `campaigns/{campaign}`, `opt-outs` or `routes/{route}`.',
  type: 'One of the types below.',
  time: 'Time of the event, in UTC.',
  datacontenttype: '`application/json`.',
  partitionkey:
    'Events with the same key arrive in order: `{account}/{conversation}`, `{account}/{sync}`, `{run}`, `{run}/{member}`, `{account}/opt-outs/{id}` or `{account}/dead-letters/{subject}`.',
};

/** The envelope is the same for all events, so that of a whole event only `data` is shown. */
function renderData(schema: Schema): string {
  const data = schema.properties?.specversion === undefined ? schema : (schema.properties.data ?? schema);
  return data.$ref === undefined ? renderFields(data, 0) : `See ${typeOf(data)}.`;
}

function renderFields(schema: Schema, depth: number): string {
  return Object.entries(schema.properties ?? {})
    .flatMap(([key, property]) => {
      const optional = schema.required?.includes(key) === false ? ', optional' : '';
      const about = property.description === undefined ? '' : `: ${plain(property.description)}`;
      const inner = property.items ?? property;
      const below = renderFields(inner, depth + 1);
      return [
        item(`${code(key)} (${typeOf(property)}${optional})${about}`, depth),
        ...(below === '' ? [] : [below]),
      ];
    })
    .join('\n');
}

function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1);
    return `[${name}](#${name.toLowerCase()})`;
  }
  if (schema.const !== undefined) return code(String(schema.const));
  if (schema.enum !== undefined) return schema.enum.map((value) => code(String(value))).join(', ');
  if (schema.allOf !== undefined) return schema.allOf.map(typeOf).join(' and ');
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(' or ');
  if (schema.items !== undefined) return `list of ${typeOf(schema.items)}`;
  return Array.isArray(schema.type) ? schema.type.join(' or ') : String(schema.type ?? 'any value');
}
