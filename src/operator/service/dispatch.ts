// Calls the handler of a route: checks the caller and the input, keeps the audit log, and lets only what the contract
// names leave the server. HTTP, the Unix socket and commands that serve themselves all come through here.
import type { Endpoint } from '../../core/endpoint.ts';
import type { AuditOutcome } from '../contract/identity.ts';
import { ENDPOINTS, type Route } from '../contract/index.ts';
import { OperatorError } from '../error.ts';
import { type Caller, isAllowed, refusalOf, roleRequired } from './caller.ts';
import type { Handlers, OperatorLog } from './deps.ts';
import type { Exchange } from './exchange.ts';
import { asOperatorError } from './known-error.ts';
import { createSearchLimit, type SearchLimit } from './search-limit.ts';

/** A line of the audit log, as it begins. */
export interface AuditEntry {
  readonly caller: Caller | null;
  /** The route, or `reveal` when personal data is shown in plain text. */
  readonly action: string;
  /** The path with its parameters, for example `/syncs/contacts/pause`. */
  readonly target: string;
  readonly details: Readonly<Record<string, unknown>>;
}

export interface AuditLog {
  /** Writes a line. @returns its id */
  write(entry: AuditEntry, outcome: AuditOutcome): Promise<number>;
  /** Adds one to the caller's last line of this action and target, or writes one that is `ok`. */
  count(entry: AuditEntry, minutes: number): Promise<void>;
  /** Completes a line that was written as `started`. `details` are added to it. */
  complete(id: number, outcome: AuditOutcome, details?: Readonly<Record<string, unknown>>): Promise<void>;
}

export interface DispatchOptions {
  readonly handlers: Handlers<Route>;
  readonly audit: AuditLog;
  readonly log: OperatorLog;
  readonly searches?: SearchLimit;
}

/**
 * @param caller null: nobody has logged in
 * @throws OperatorError; the message never contains personal data that the caller did not send
 */
export type Dispatch = (
  route: Route,
  input: unknown,
  caller: Caller | null,
  exchange?: Exchange,
) => Promise<unknown>;

export function createDispatch({
  handlers,
  audit,
  log,
  searches = createSearchLimit(),
}: DispatchOptions): Dispatch {
  return async (route, given, caller, exchange) => {
    const endpoint: Endpoint = ENDPOINTS[route];
    const isSearch = endpoint.searches !== undefined && hasText(given, endpoint.searches);
    const isCommand =
      !route.startsWith('GET ') && (endpoint.reads !== true || endpoint.audited === true || isSearch);
    const target = targetOf(route, given);
    const entry = { caller, action: route, target, details: auditedFields(endpoint, given) };
    const refusal = refusalOf(caller, endpoint);
    if (refusal !== null) {
      if (isCommand && caller !== null) await audit.write(entry, 'denied');
      throw refusal;
    }
    const input = parseInput(endpoint, given);
    const isReveal = 'unmask' in input && input.unmask === true;
    const mayReveal = isAllowed(caller, 'operator');
    const reveal = isReveal
      ? await audit.write({ ...entry, action: 'reveal' }, mayReveal ? 'ok' : 'denied')
      : null;
    if (isReveal && !mayReveal) throw roleRequired(caller, 'operator');
    // Before the command: nothing that an operator did is missing in the log.
    const { auditMinutes } = endpoint;
    // A reveal has a line of its own.
    const isCounted = isCommand && auditMinutes !== undefined && !(isSearch && isReveal);
    if (isCounted) await audit.count(entry, auditMinutes);
    const line = isCommand && !isCounted && !isSearch ? await audit.write(entry, 'started') : null;
    const complete = async (outcome: AuditOutcome, details?: Record<string, unknown>) => {
      if (line === null) return;
      await audit.complete(line, outcome, details).catch((error: unknown) => {
        log.error({ err: error, route, outcome }, 'the audit log could not be completed');
      });
    };
    try {
      if (isSearch && caller !== null) searches.take(caller);
      const handler = handlers[route] as (
        ...of: Parameters<Dispatch> extends [unknown, ...infer P] ? P : never
      ) => Promise<unknown>;
      const output = endpoint.output.parse(await handler(input, caller, exchange));
      const shown = auditedOutput(endpoint, output);
      // Before the data leaves: the log has the ids of everybody who is shown, even if this process dies now.
      if (reveal !== null && Object.keys(shown).length > 0) await audit.complete(reveal, 'ok', shown);
      await complete('ok', shown);
      return output;
    } catch (error) {
      const known = asOperatorError(error);
      const details = { kind: known?.kind ?? 'failed', code: known?.code };
      if (isCounted) await audit.write({ ...entry, details }, 'failed');
      else await complete('failed', details);
      if (known !== null) throw known;
      log.error({ err: error, route }, 'a request of an operator failed');
      throw new OperatorError('failed', 'internal error; the log of the Sluice process has the details', {
        cause: error,
      });
    }
  };
}

function parseInput(endpoint: Endpoint, given: unknown): Record<string, unknown> {
  const parsed = endpoint.input.safeParse(given);
  if (parsed.success) {
    // PostgreSQL stores no NUL, and no text that people write has one.
    const withNul = Object.entries(parsed.data).filter(([, value]) => hasNul(value));
    if (withNul.length === 0) return parsed.data;
    const names = withNul.map(([name]) => name).join(', ');
    throw new OperatorError('invalid', `${names}: remove the character U+0000`, { code: 'INPUT' });
  }
  // Names fields and rules. Values may be personal, so none is repeated.
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'input'}: ${message}`);
  throw new OperatorError('invalid', problems.join('; '), { code: 'INPUT' });
}

/** Without recursion: whoever sends thousands of nested lists must not end the process. */
function hasNul(given: unknown): boolean {
  const left = [given];
  for (let value = left.pop(); value !== undefined; value = left.pop()) {
    if (typeof value === 'string' && value.includes('\0')) return true;
    if (value instanceof Uint8Array || !isRecord(value)) continue;
    for (const [name, item] of Object.entries(value)) {
      if (name.includes('\0')) return true;
      // Undefined would end the loop, and null has nothing in it.
      if (item !== undefined && item !== null) left.push(item);
    }
  }
  return false;
}

/** Only a text that is not blank searches. */
function hasText(given: unknown, name: string): boolean {
  const text = isRecord(given) ? given[name] : undefined;
  return typeof text === 'string' && text.trim() !== '';
}

function targetOf(route: Route, given: unknown): string {
  const fields = isRecord(given) ? given : {};
  const [, path = ''] = route.split(' ');
  return path.replace(/\{(\w+)\}/g, (_, name: string) => String(fields[name] ?? '-').slice(0, 200));
}

function auditedFields(endpoint: Endpoint, given: unknown): Record<string, unknown> {
  const fields = isRecord(given) ? given : {};
  const names = ['reason', ...(endpoint.audit ?? [])];
  return Object.fromEntries(
    names.flatMap((name) =>
      fields[name] === undefined || fields[name] === '' ? [] : [[name, fields[name]]],
    ),
  );
}

function auditedOutput({ auditOutput = [] }: Endpoint, output: unknown): Record<string, unknown> {
  return Object.fromEntries(
    auditOutput.flatMap((path) => {
      const value = valueAt(output, path.split('.'));
      return value === undefined || value === null || (Array.isArray(value) && value.length === 0)
        ? []
        : [[path, value]];
    }),
  );
}

/** The field at the path. For a list, the fields of all entries, each different one once. */
function valueAt(value: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return value;
  if (!Array.isArray(value)) return isRecord(value) ? valueAt(value[name], rest) : undefined;
  const all = value.map((item) => valueAt(item, [name, ...rest]));
  return [...new Set(all.filter((each) => each !== undefined && each !== null))];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
