// A finding or its way out, as code, parameters and English sentence.
import type { NoteParams } from '../../core/endpoint.ts';
import { redactText } from '../../core/redaction.ts';
import { nearest } from '../../core/suggest.ts';
import {
  DOCTOR_SENTENCES,
  type FindingSentence,
  type FixSentence,
} from '../../operator/contract/doctor-sentences.ts';

export interface Said {
  readonly code: string;
  readonly reason: string;
  /** Missing: the reason is the sentence of an error, and only the code has words in other languages. */
  readonly params?: NoteParams | undefined;
}

/** Parameters are redacted, so that no check can show a token, a phone or an address. */
export function say(code: FindingSentence | FixSentence, params: NoteParams = {}): Said {
  const sentences: Readonly<Record<string, string>> = DOCTOR_SENTENCES;
  const sentence = sentences[code] ?? sentences[`${code}_${params.count === 1 ? 'one' : 'other'}`]!;
  // A way out is said with the parameters of its finding, and needs only some.
  const used = Object.entries(params as Values).filter(([name]) => sentence.includes(`{{${name}}}`));
  const shown = redactAll(used);
  const reason = sentence.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => textOf(shown[name]!));
  return { code, reason: redactText(reason), params: shown as NoteParams };
}

/** The sentence of an error or a note of another part. */
export function quote(code: string, reason: string, params?: NoteParams): Said {
  const given = params === undefined ? undefined : redactAll(Object.entries(params as Values));
  return { code, reason: redactText(reason), params: given as NoteParams | undefined };
}

type Value = string | number | readonly string[];
type Values = Readonly<Record<string, Value>>;

function redactAll(values: readonly (readonly [name: string, value: Value])[]): Values {
  return Object.fromEntries(values.map(([name, value]) => [name, redact(value)]));
}

function redact(value: Value): Value {
  if (typeof value === 'string') return redactText(value);
  return typeof value === 'object' ? value.map(redactText) : value;
}

function textOf(value: Value): string {
  return typeof value === 'object' ? value.join(', ') : String(value);
}

const SHOWN = 20;

/** The nearest name, or the list of what there is. */
export function suggest(
  wanted: string | number | boolean,
  known: readonly string[],
  list: 'FIX_PIPELINES' | 'FIX_STAGES' | 'FIX_TAGS',
): Said {
  const near = nearest(String(wanted), known);
  if (near !== undefined) return say('FIX_NEAR', { near });
  if (known.length === 0) return say('FIX_NONE');
  return say(list, { known: known.length > SHOWN ? [...known.slice(0, SHOWN), '…'] : known });
}
