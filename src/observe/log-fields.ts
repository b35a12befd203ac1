// Every field that a log line may have, with its meaning. A line has ids, hashes, names of the configuration, codes and
// numbers. The logger omits any other field, so that what a customer or an operator wrote cannot get into a log.

/** Fields of every line. */
export const LINE_FIELDS = {
  time: 'When it happened, ISO 8601 in UTC.',
  level: '`trace`, `debug`, `info`, `warn`, `error` or `fatal`.',
  process: 'Command that wrote the line, for example `worker`, `ingress`, `console` or `dev`.',
  msg: 'What happened.',
} as const;

/** Fields of what was in progress. The logger adds them to each line that is written meanwhile. */
export const CONTEXT_FIELDS = {
  account: 'Name of the account.',
  workflowId: 'Id of the workflow in Temporal. It contains names of the configuration and hashes.',
  runId: "Temporal's id of this run of the workflow.",
  activityType: 'Name of the activity.',
  attempt: 'Number of the attempt, from 1.',
  trace_id: 'OpenTelemetry trace, as 32 hexadecimal digits. Present while a trace is recorded.',
  span_id: 'Span of that trace, as 16 hexadecimal digits.',
} as const;

/** What the line is about. */
export const EVENT_FIELDS = {
  action: 'Command of an operator.',
  assumption: 'Key of `assumptions` that concerns the answer.',
  at: 'Place in an answer of the service, as a path without values, or places in the code.',
  brokers: 'Kafka brokers as host:port.',
  by: 'User name of the operator.',
  campaign: 'Name of the campaign.',
  cause: 'What made the process load its configuration again.',
  channel: 'Name of the channel of notices.',
  closed: 'Kind of the connection that was closed.',
  cluster: 'Name of the Kafka cluster.',
  code: 'Error code of Sluice, of the service, or of the system.',
  connections: 'Number of connections.',
  conversation: "The service's id of the conversation.",
  conversations: 'Number of conversations.',
  count: 'Number of records.',
  dead: 'Number of events that can no longer be delivered.',
  err: 'The error: `type`, `message`, `stack`, codes and `cause`. Texts are redacted.',
  event: "The ledger's id of the event, a hash.",
  events: 'Number of events.',
  fields: 'Names of the fields or keys that differ.',
  file: 'Path of the configuration file.',
  fromOffset: 'First missing offset.',
  groupId: 'Id of the Kafka consumer group.',
  id: 'Id of the request, as the answer has it.',
  kafkajs: 'Part of the Kafka client.',
  kind: 'Kind of the data or the error.',
  limit: 'Limit that was reached.',
  maxConnections: 'Maximum number of connections.',
  member: "The ledger's id of the campaign member.",
  members: 'Number of campaign members.',
  next: "The ledger's id of the next event.",
  offset: 'Offset of a Kafka record.',
  outcome: 'How it ended.',
  partition: 'Kafka partition.',
  poller: 'Name of the poller.',
  pollers: 'Names of pollers.',
  reason: 'Reason that Sluice or the service gives. Never the one that an operator types.',
  record: "The ledger's id of the record.",
  refusals: 'Number of refusals.',
  refused: 'Number of refused requests that are not kept.',
  repeated: 'Number of equal lines that were omitted since the previous one.',
  replayed: 'Number of replayed dead letters.',
  route: 'Name of the route, or the route of the operator API.',
  run: "The ledger's id of the run: `{account}/{sync}/{number}`.",
  sink: 'Name of the sink.',
  status: 'HTTP status.',
  step: 'Step of the work.',
  stoodMs: 'Milliseconds for which the partition was paused.',
  toOffset: 'First offset that still exists.',
  token: 'Position of the token in the configuration, from 1.',
  topic: 'Kafka topic.',
  total: 'Number of all items.',
  why: 'Why a partition is paused, or why an event is not accepted.',
  workflows: 'Number of workflows.',
} as const;

/** Fields that the SDK of Temporal adds to its own lines. */
export const SDK_FIELDS = {
  activityId: "Temporal's id of the activity.",
  namespace: 'Temporal namespace.',
  sdkComponent: 'Part of the Temporal SDK.',
  state: 'State of a worker.',
  taskQueue: 'Task queue.',
  workflowType: 'Type of the workflow.',
} as const;

/** All fields by name, with their meaning. */
export const LOG_FIELDS: Readonly<Record<string, string>> = {
  ...LINE_FIELDS,
  ...CONTEXT_FIELDS,
  ...EVENT_FIELDS,
  ...SDK_FIELDS,
};

/** Only an error may be an object. */
const OBJECTS = new Set(['err']);
const MAX_ITEMS = 50;

/**
 * Keeps the known fields of a line. `omitted` lists the names of the others.
 * @param fields redacted already
 */
export function knownFields(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  const omitted: string[] = [];
  for (const [name, value] of Object.entries(fields)) {
    if (Object.hasOwn(LOG_FIELDS, name) && (OBJECTS.has(name) || isPlain(value))) kept[name] = value;
    else if (value !== undefined) omitted.push(name);
  }
  if (omitted.length > 0) kept.omitted = omitted.slice(0, MAX_ITEMS);
  return kept;
}

function isPlain(value: unknown): boolean {
  return Array.isArray(value) ? value.every(isScalar) : isScalar(value);
}

const isScalar = (value: unknown) => value === null || ['string', 'number', 'boolean'].includes(typeof value);
