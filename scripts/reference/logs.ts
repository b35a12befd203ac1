// docs/reference/logs.md: every field of a log line, out of the table that the logger enforces.
import { CONTEXT_FIELDS, EVENT_FIELDS, LINE_FIELDS, SDK_FIELDS } from '../../src/observe/log-fields.ts';
import { code, fence, GENERATED, item, page, wrap } from './markdown.ts';

const EXAMPLE =
  '{"level":"warn","time":"2026-11-23T15:57:36.643Z","process":"worker","activityType":"workEvent","attempt":1,"account":"globex","workflowId":"lead-intake/globex/refused/TxpoHRjkw_dGAQHXQf1UqQ","runId":"01a20920-8573-769f-bed6-eca8f184b03b","run":"globex/@refused/1","record":2,"step":"lookup","code":"ERR_SCOPE_MISSING","msg":"the account refuses lookup"}';

const INTRO = [
  'Every process writes its log to stderr: one JSON object a line, or a short text when stderr is a terminal. `SLUICE_LOG_LEVEL` sets the level: `trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`. [Environment variables](cli.md#environment-variables) has the defaults.',
];
const RULES = [
  'A line has only the fields of this page. The logger leaves out any other field and lists its name under `omitted`.',
  'A line has ids, hashes, codes, numbers and names of your configuration. It has no name, phone, e-mail address or text of a customer, and no reason that an operator typed.',
  'The logger also replaces what looks like a token, a phone or an e-mail address by `[token]`, `[phone]` or `[email]`, in every text, error and stack.',
];

const SECTIONS = [
  ['In every line', LINE_FIELDS, null],
  [
    'What was in progress',
    CONTEXT_FIELDS,
    'The logger adds them to lines that are written during an activity or a trace.',
  ],
  ['What the line is about', EVENT_FIELDS, null],
  [
    'Lines of the Temporal SDK',
    SDK_FIELDS,
    'They also have `account`, `workflowId`, `runId`, `activityType` and `attempt`, if they belong to an activity.',
  ],
] as const;

/** The page docs/reference/logs.md. */
export function renderLogs(): string {
  return page(
    '# Logs',
    GENERATED,
    ...INTRO.map((text) => wrap(text)),
    'For example, as `jq` shows it:',
    fence('json', JSON.stringify(JSON.parse(EXAMPLE), null, 2)),
    RULES.map((text) => item(text)).join('\n'),
    ...SECTIONS.flatMap(([title, fields, about]) => [
      `## ${title}`,
      ...(about === null ? [] : [wrap(about)]),
      Object.entries(fields)
        .map(([name, meaning]) => item(`${code(name)}: ${meaning}`))
        .join('\n'),
    ]),
  );
}
