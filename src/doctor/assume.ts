// Which assumptions of the client the real answers bear out. A refuted one comes with the line of sluice.yaml that mends it.
import { ASSUMPTIONS, type AssumptionKey, type Assumptions } from '../api-client/index.ts';
import type { Findings } from './findings.ts';

export type Verdict =
  | { readonly key: AssumptionKey; readonly is: 'confirmed'; readonly text: string }
  | {
      readonly key: AssumptionKey;
      readonly is: 'refuted';
      readonly text: string;
      /** The value that fits; null when the answers do not tell it. */
      readonly value: string | null;
    }
  | { readonly key: AssumptionKey; readonly is: 'open'; readonly text: string };

/** Without these, reading works but for one argument that Sluice's own syncs do not use. */
const MINOR: ReadonlySet<AssumptionKey> = new Set(['cards.titleSearchParam', 'cards.sortDirectionParam']);

export function reportVerdicts(account: string, verdicts: readonly Verdict[], findings: Findings): void {
  for (const verdict of verdicts) {
    const { key, text } = verdict;
    if (verdict.is === 'confirmed') findings.ok(key, text);
    else if (verdict.is === 'open') findings.unchecked(key, text);
    else {
      const line = configLine(account, key, verdict.value ?? '…');
      const hint = verdict.value === null ? `find the right name out, then write ${line}` : `write ${line}`;
      if (MINOR.has(key)) findings.warning(key, text, hint);
      else findings.problem(key, text, { hint });
    }
  }
  const seen = new Set(verdicts.map(({ key }) => key));
  const unseen = (Object.keys(ASSUMPTIONS) as AssumptionKey[]).filter((key) => !seen.has(key));
  findings.unchecked(
    'assumptions',
    `${unseen.join(', ')}: only a write shows these`,
    'compare with the documentation of your instance',
  );
}

/** As it stands in sluice.yaml. */
export function configLine(account: string, key: AssumptionKey, value: string): string {
  return `accounts.${account}.assumptions: { '${key}': ${value} }`;
}

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Where a list or a record stands in an answer.
 * @param fits tells the thing sought from other values
 */
export function judgeWrapper(
  key: AssumptionKey,
  assumed: string,
  usual: string,
  answer: unknown,
  fits: (value: unknown) => boolean,
): Verdict {
  if (!isObject(answer)) {
    if (answer === undefined) return { key, is: 'open', text: 'no answer to look at' };
    return {
      key,
      is: 'refuted',
      text: 'the answer is no JSON object, which no assumption mends',
      value: null,
    };
  }
  const found = Object.keys(answer).filter((name) => fits(answer[name]));
  if (assumed !== 'any') {
    if (found.includes(assumed)) return { key, is: 'confirmed', text: `under "${assumed}", as configured` };
  } else if (found.includes(usual)) return { key, is: 'confirmed', text: `under "${usual}"` };
  else if (found.length === 1)
    return { key, is: 'confirmed', text: `under "${found[0]}", which is found by itself` };
  else if (found.length === 0 && fits(withoutRequestId(answer)) && key === 'wrapper.card') {
    return { key, is: 'confirmed', text: 'without a wrapper, which is found by itself' };
  }
  const names = found.map((name) => `"${name}"`).join(' and ');
  const wanted = assumed === 'any' ? `"${usual}"` : `"${assumed}"`;
  if (found.length === 0)
    return {
      key,
      is: 'refuted',
      text: `nothing that fits stands in the answer, not even under ${wanted}`,
      value: null,
    };
  return { key, is: 'refuted', text: `not under ${wanted}; ${names} would fit`, value: found[0] ?? null };
}

function withoutRequestId({ requestId: _requestId, ...record }: Json): Json {
  return record;
}

export const isListOf =
  (field: string) =>
  (value: unknown): boolean =>
    Array.isArray(value) && value.every((item) => isObject(item) && field in item);
export const isRecord = (value: unknown): boolean => isObject(value) && 'id' in value;

/** The status of a message stands at the root of its answer or under a wrapper. */
export function judgeStatus(assumed: string, answer: unknown): Verdict {
  const key = 'wrapper.messageStatus';
  const fits = (value: unknown) => isObject(value) && 'status' in value && 'ack' in value;
  if (assumed === 'any' && fits(answer)) return { key, is: 'confirmed', text: 'without a wrapper' };
  const verdict = judgeWrapper(key, assumed, 'message', answer, fits);
  // The client can not be told "no wrapper" but by taking the override away.
  return verdict.is === 'refuted' && fits(answer)
    ? { ...verdict, text: 'without a wrapper', value: 'any' }
    : verdict;
}

interface FieldRule {
  readonly key: 'message.idField' | 'message.bodyField' | 'message.fromMeField' | 'message.timeField';
  readonly fits: (values: readonly unknown[]) => boolean;
  /** Names that come first among fields that fit. */
  readonly likely: RegExp;
}

const present = (values: readonly unknown[]) =>
  values.filter((value) => value !== null && value !== undefined);
const isInstant = (value: unknown) =>
  typeof value === 'string' && /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(value);

const FIELDS: readonly FieldRule[] = [
  {
    key: 'message.idField',
    fits: (values) =>
      values.every((value) => (typeof value === 'string' && value !== '') || Number.isSafeInteger(value)) &&
      new Set(values).size === values.length &&
      !values.every(isInstant),
    likely: /^(id|_id|messageId|wid|uuid|.*Id)$/,
  },
  {
    key: 'message.bodyField',
    fits: (values) =>
      present(values).length > 0 &&
      present(values).every((value) => typeof value === 'string' && !isInstant(value)),
    likely: /^(body|text|content|message|caption)$/i,
  },
  {
    key: 'message.fromMeField',
    fits: (values) => values.every((value) => typeof value === 'boolean'),
    likely: /me$|^(is)?(outgoing|outbound|sent)/i,
  },
  {
    key: 'message.timeField',
    fits: (values) => present(values).length > 0 && present(values).every(isInstant),
    likely: /^(createdAt|timestamp|sentAt|date|at|time)$/i,
  },
];

/** The fields of a conversation's messages. Their values are looked at, never shown. */
export function judgeHistory(assumed: Assumptions, answer: unknown): Verdict[] {
  const list = isObject(answer) && Array.isArray(answer.messages) ? answer.messages.filter(isObject) : [];
  if (list.length === 0) return openHistory('the conversation that was looked at shows no message');
  const names = [...new Set(list.flatMap(Object.keys))];
  const taken = new Set<string>();
  return FIELDS.map(({ key, fits, likely }): Verdict => {
    const name = assumed[key];
    const valuesOf = (field: string) => list.map((item) => item[field]);
    if (fits(valuesOf(name))) {
      taken.add(name);
      return { key, is: 'confirmed', text: `"${name}", in ${list.length} messages` };
    }
    const candidates = names.filter((field) => !taken.has(field) && fits(valuesOf(field)));
    const value =
      candidates.find((field) => likely.test(field)) ??
      (key === 'message.idField' || candidates.length > 1 ? null : (candidates[0] ?? null));
    const state = names.includes(name) ? 'is there, but not with values of that kind' : 'is not there';
    return {
      key,
      is: 'refuted',
      text: `"${name}" ${state}; the messages have ${names.toSorted().join(', ')}`,
      value,
    };
  });
}

export function openHistory(text: string): Verdict[] {
  return FIELDS.map(({ key }) => ({ key, is: 'open' as const, text }));
}
