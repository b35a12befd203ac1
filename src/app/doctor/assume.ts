// Compares the client's assumptions with real answers, by the client's own parser. A wrong assumption comes with the
// line of sluice.yaml that corrects it, if the client can read the answer with that line.
import {
  ASSUMPTIONS,
  type AssumptionKey,
  type AssumptionOverrides,
  type Assumptions,
  type InvalidItem,
  resolveAssumptions,
  UnexpectedShapeError,
} from '../../service/api-client/index.ts';
import {
  namesOfMessages,
  type ReadWrapperKey,
  tryHistory,
  tryWrapper,
} from '../../service/api-client/readers.ts';
import { ShapeMismatch } from '../../service/api-client/shapes.ts';
import type { Findings } from './findings.ts';
import type { Probed } from './probe.ts';
import { type Said, say } from './say.ts';

export type Verdict =
  | { readonly key: AssumptionKey; readonly is: 'confirmed'; readonly said: Said }
  | {
      readonly key: AssumptionKey;
      readonly is: 'refuted';
      readonly said: Said;
      /** The value for sluice.yaml; null when the answers do not show it. */
      readonly value: string | null;
    }
  | { readonly key: AssumptionKey; readonly is: 'open'; readonly said: Said };

/** Assumptions that concern only one argument, or the tracking of sent messages. */
const MINOR: ReadonlySet<AssumptionKey> = new Set([
  ...(['cards.titleSearchParam', 'cards.sortDirectionParam'] as const),
  'message.idField',
]);

export function reportVerdicts(account: string, verdicts: readonly Verdict[], findings: Findings): void {
  for (const verdict of verdicts) {
    const { key, said } = verdict;
    if (verdict.is === 'confirmed') findings.ok(key, said);
    else if (verdict.is === 'open') findings.unchecked(key, said);
    else {
      const line = configLine(account, key, verdict.value ?? '…');
      const hint = say(verdict.value === null ? 'FIX_FIND_OUT' : 'FIX_WRITE', { line });
      if (MINOR.has(key)) findings.warning(key, said, hint);
      else findings.problem(key, said, { hint });
    }
  }
  const seen = new Set(verdicts.map(({ key }) => key));
  const unseen = (Object.keys(ASSUMPTIONS) as AssumptionKey[]).filter((key) => !seen.has(key));
  findings.unchecked('assumptions', say('CHECK_ASSUMPTIONS', { keys: unseen }));
}

/** As it stands in sluice.yaml. */
function configLine(account: string, key: AssumptionKey, value: string): string {
  return `accounts.${account}.assumptions: { '${key}': ${value} }`;
}

/** What would stop a run that makes the same read: an answer or an item that the client can't read. */
export function reportUnreadable(
  account: string,
  check: string,
  probed: Probed<unknown>,
  judged: ReadonlySet<AssumptionKey>,
  findings: Findings,
): void {
  const { error, data } = probed;
  if (error instanceof UnexpectedShapeError) {
    const { assumption, path, expected, seen } = error;
    if (assumption !== null && judged.has(assumption)) return;
    report(account, check, { said: describe({ at: path, expected, seen }), assumption }, findings);
    return;
  }
  const invalid = isListing(data) ? data.invalid : [];
  const [first] = invalid;
  if (first === undefined || (first.assumption !== null && judged.has(first.assumption))) return;
  const { path: at, expected, seen, assumption } = first;
  const fields = seen.length === 0 ? ['-'] : seen;
  const said = say('CHECK_ITEMS', { count: invalid.length, at, expected, seen: fields });
  report(account, check, { said, assumption }, findings);
}

function isListing(data: unknown): data is { readonly invalid: readonly InvalidItem[] } {
  return typeof data === 'object' && data !== null && 'invalid' in data;
}

function report(
  account: string,
  check: string,
  { said, assumption }: { said: Said; assumption: AssumptionKey | null },
  findings: Findings,
): void {
  const hint =
    assumption === null
      ? say('FIX_REPORT')
      : say('FIX_FIND_OUT', { line: configLine(account, assumption, '…') });
  findings.problem(assumption ?? check, said, { hint });
}

function describe({ at, expected, seen }: { at: string; expected: string; seen: readonly string[] }): Said {
  return say(seen.length === 0 ? 'CHECK_SHAPE' : 'CHECK_SHAPE_FIELDS', { at, expected, seen });
}

/** The path of a list or a record in an answer. @param overrides of the account */
export function judgeWrapper(key: ReadWrapperKey, overrides: AssumptionOverrides, answer: unknown): Verdict {
  const assumed = resolveAssumptions(overrides);
  const read = tryWrapper(key, answer, assumed);
  if (!(read instanceof ShapeMismatch)) {
    const name = read.at.join('.');
    const isFound = assumed[key] === 'any';
    if (name === '') return { key, is: 'confirmed', said: say(isFound ? 'CHECK_BARE_FOUND' : 'CHECK_BARE') };
    const found = USUAL_NAMES.has(name) ? 'CHECK_UNDER_USUAL' : 'CHECK_UNDER_FOUND';
    return { key, is: 'confirmed', said: say(isFound ? found : 'CHECK_UNDER', { name }) };
  }
  if (read.assumption !== key) return { key, is: 'open', said: describe({ ...read, at: read.at }) };
  const fits = pathsOf(answer).filter(
    (path) =>
      !(tryWrapper(key, answer, resolveAssumptions({ ...overrides, [key]: path })) instanceof ShapeMismatch),
  );
  const any = tryWrapper(key, answer, resolveAssumptions({ ...overrides, [key]: 'any' }));
  const value =
    !(any instanceof ShapeMismatch) && any.at.length === 0
      ? 'any'
      : fits.length === 1
        ? (fits[0] ?? null)
        : null;
  return { key, is: 'refuted', said: describe({ ...read, at: read.at }), value };
}

const USUAL_NAMES: ReadonlySet<string> = new Set(['tags', 'pipelines', 'lostReasons', 'card', 'message']);

/** Paths of all lists and objects of an answer, three levels deep. */
function pathsOf(answer: unknown, prefix = '', depth = 0): string[] {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer) || depth === 3) return [];
  return Object.entries(answer).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null && /^[\w$-]{1,64}$/.test(name)
      ? [`${prefix}${name}`, ...pathsOf(value, `${prefix}${name}.`, depth + 1)]
      : [],
  );
}

const HISTORY_KEYS = [
  'message.idField',
  'message.bodyField',
  'message.fromMeField',
  'message.timeField',
  'message.statusField',
  'message.ackField',
] as const;
type HistoryKey = (typeof HISTORY_KEYS)[number];

/** Preferred names among fields that match. */
const LIKELY: Readonly<Record<HistoryKey, RegExp>> = {
  'message.idField': /(^|\.)(_?id|messageId|wid|uuid)$/,
  'message.bodyField': /(^|\.)(body|text|content|message|caption)$/i,
  'message.fromMeField': /(me|outgoing|outbound|sent|direction)$/i,
  'message.timeField': /(^|\.)(createdAt|timestamp|sentAt|date|at|time)$/i,
  'message.statusField': /(status|state)$/i,
  'message.ackField': /(ack|code)$/i,
};

/** The fields of a conversation's messages. Their values are checked, never shown. */
export function judgeMessages(overrides: AssumptionOverrides, answer: unknown): Verdict[] {
  const assumed = resolveAssumptions(overrides);
  const judged = tryHistory(answer, assumed);
  if (judged instanceof ShapeMismatch) return openHistory(describe({ ...judged, at: judged.at }));
  const { faults, messages, ids } = judged;
  if (messages === 0) return openHistory(say('CHECK_NO_MESSAGES'));
  return HISTORY_KEYS.map((key): Verdict => {
    const name = assumed[key].path.join('.');
    const fault = faults.find((each) => each.key === key);
    if (key === 'message.idField' && fault === undefined && ids === 0)
      return judgeNoIds(name, overrides, answer);
    if (fault === undefined)
      return { key, is: 'confirmed', said: say('CHECK_FIELD', { name, count: messages }) };
    const { expected, seen } = fault.first;
    const said = say('CHECK_FIELD_UNREAD', { name, broken: fault.messages, messages, expected, seen });
    return { key, is: 'refuted', said, value: fieldThatReads(key, overrides, answer, seen) };
  });
}

/** Without ids a history is readable, but sent messages can't be tracked in it. */
function judgeNoIds(name: string, overrides: AssumptionOverrides, answer: unknown): Verdict {
  const key = 'message.idField';
  const found = namesOfMessages(answer).filter((path) => {
    if (!LIKELY[key].test(path)) return false;
    const judged = tryHistory(answer, resolveAssumptions({ ...overrides, [key]: path }));
    return !(judged instanceof ShapeMismatch) && judged.ids === judged.messages;
  });
  return found.length === 1
    ? { key, is: 'refuted', said: say('CHECK_FIELD_ABSENT', { name }), value: found[0] ?? null }
    : { key, is: 'open', said: say('CHECK_FIELD_NO_IDS', { name }) };
}

/** The only field, or the likeliest, with which the client reads every message. */
function fieldThatReads(
  key: HistoryKey,
  overrides: AssumptionOverrides,
  answer: unknown,
  names: readonly string[],
): string | null {
  const reads = (value: unknown) => {
    const judged = tryHistory(
      answer,
      resolveAssumptions({ ...overrides, [key]: value } as AssumptionOverrides),
    );
    return !(judged instanceof ShapeMismatch) && judged.faults.every((fault) => fault.key !== key);
  };
  const paths = names.filter((name) => /^[\w$-]+(\.[\w$-]+)*$/.test(name));
  const ways = (path: string): readonly [value: unknown, text: string][] =>
    key !== 'message.timeField'
      ? [[path, path]]
      : (['iso', 's', 'ms'] as const).map((unit) => [
          { path, unit },
          unit === 'iso' ? path : `{ path: ${path}, unit: ${unit} }`,
        ]);
  const fits = paths.flatMap((path) =>
    ways(path)
      .filter(([value]) => reads(value))
      .map(([, text]) => ({ path, text })),
  );
  const likely = fits.filter(({ path }) => LIKELY[key].test(path));
  return likely.length === 1 || fits.length === 1 ? ((likely[0] ?? fits[0])?.text ?? null) : null;
}

export function openHistory(said: Said): Verdict[] {
  return HISTORY_KEYS.map((key) => ({ key, is: 'open' as const, said }));
}

/** The envelope is right when anything could be read. */
export function judgeEnvelope(assumed: Assumptions, readSomething: boolean): Verdict {
  const path = assumed['answer.envelope'];
  const key = 'answer.envelope';
  if (!readSomething) return { key, is: 'open', said: say('CHECK_ENVELOPE_UNREAD') };
  const said = path === null ? say('CHECK_ENVELOPE_NONE') : say('CHECK_ENVELOPE', { name: path.join('.') });
  return { key, is: 'confirmed', said };
}
