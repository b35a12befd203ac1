// A route of the API: method, path, scope and a function from the call to the answer. A handler runs within one
// iteration of the event loop, so the data that it read is still valid when it commits. This makes concurrent upserts
// safe.
import type { z } from 'zod';
import type { Choices } from '../choices.ts';
import type { ExtraInfo } from '../openapi/inputs.ts';
import type { Operation } from '../openapi/operation.ts';
import type { Query } from '../rules/query.ts';
import type { Account } from '../state/account.ts';
import type { Board } from '../state/board.ts';
import type { Media, Scope } from '../state/model.ts';
import type { Store } from '../state/store.ts';
import { Problem } from './errors.ts';

/** What a rule needs to read and create records, for any caller. */
export interface Scene {
  readonly account: Account;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly choices: Choices;
  readonly store: Store;
}

export interface Call extends Scene {
  readonly params: Readonly<Record<string, string>>;
  /** The parameters that the operation declares. */
  readonly query: Query;
  /** The fields that the operation declares. Empty when the body is missing or not a JSON object. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Of a multipart body. */
  readonly files: readonly Media[];
  readonly board: Board;
}

export interface Reply {
  readonly status: number;
  /** Without requestId: it is added to every success body. */
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Route {
  readonly method: 'get' | 'post' | 'put' | 'patch';
  readonly path: string;
  readonly scope: Scope;
  /** Inputs and answers of the call, for validation and for the OpenAPI document. */
  readonly operation: (choices: Choices) => Operation;
  /** For a route that also accepts multipart bodies: converts the text fields to their JSON form. */
  readonly form?: (fields: Readonly<Record<string, string>>) => Record<string, unknown>;
  readonly handle: (call: Call) => Reply;
}

export const ok = (body: Record<string, unknown>): Reply => ({ status: 200, body });

/** Whether an input counts as not sent. */
export const isMissing = (value: unknown) => value === undefined || value === null || value === '';

/** Returns an id of a path, or NaN, which no record has, if it is not an integer. */
export const pathId = (call: Call, name: string): number => {
  const value = call.params[name] ?? '';
  return /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
};

/** @throws Problem ERR_INVALID_BODY with the first field of the wrong type, without its value */
export function checked<T extends z.ZodType>(schema: T, body: unknown): z.infer<T> {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const issue = result.error.issues[0] as z.core.$ZodIssue;
  throw new Problem('ERR_INVALID_BODY', { text: `${issue.path.join('.')}: ${issue.message}` });
}

/** [{name, value}] → [name, value, name, value], as in the store. */
export const flatExtra = (fields: z.infer<typeof ExtraInfo>): string[] =>
  fields.flatMap((field) => [field.name, field.value]);
