// Checks that a Temporal server answers, and that its namespace has the search attributes that Sluice uses.
import { Connection, isGrpcServiceError } from '@temporalio/client';
import { closingCalls } from './closing-calls.ts';
import type { TemporalAccess } from './temporal-access.ts';
import { tlsReason } from './tls-reason.ts';

export type SearchAttributeKind = 'Keyword' | 'Int' | 'Text' | 'Datetime' | 'Double' | 'Bool' | 'KeywordList';
export type SearchAttributes = Readonly<Record<string, SearchAttributeKind>>;

/** Thrown when a server does not answer, or when its namespace is unusable. */
export class TemporalUnavailableError extends Error {
  override readonly name = 'TemporalUnavailableError';
  readonly address: string;
  constructor(address: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.address = address;
  }
}

// Numbers of temporal.api.enums.v1.IndexedValueType.
const KIND_NUMBER: Readonly<Record<SearchAttributeKind, number>> = {
  Text: 1,
  Keyword: 2,
  Int: 3,
  Double: 4,
  Bool: 5,
  Datetime: 6,
  KeywordList: 7,
};

/**
 * Sends one query to the namespace. An answer proves that frontend, namespace registry and visibility store work.
 * @throws TemporalUnavailableError after `timeoutMs` at the latest.
 */
export async function checkTemporal(
  address: string,
  namespace: string,
  options: { timeoutMs: number; access?: TemporalAccess },
): Promise<void> {
  await withTemporal(address, options, async (connection) => {
    await connection.workflowService.listWorkflowExecutions({ namespace, pageSize: 1 });
  });
}

/**
 * How long closed workflows are kept, in days.
 * @throws TemporalUnavailableError after `timeoutMs` at the latest.
 */
export async function readRetention(
  address: string,
  namespace: string,
  options: { timeoutMs: number; access?: TemporalAccess },
): Promise<number> {
  return await withTemporal(address, options, async (connection) => {
    const { config } = await connection.workflowService.describeNamespace({ namespace });
    return Number(config?.workflowExecutionRetentionTtl?.seconds ?? 0) / 86_400;
  });
}

/**
 * The version that a server reports, for example `1.32.0`; empty when it reports none.
 * @throws TemporalUnavailableError after `timeoutMs` at the latest.
 */
export async function readTemporalVersion(
  address: string,
  options: { timeoutMs: number; access?: TemporalAccess },
): Promise<string> {
  return withTemporal(
    address,
    options,
    async (connection) => (await connection.workflowService.getSystemInfo({})).serverVersion,
  );
}

/**
 * Registers the search attributes that the namespace lacks.
 * @returns the names of those that were added.
 * @throws TemporalUnavailableError; Error when one exists with another type.
 */
export async function ensureSearchAttributes(
  address: string,
  namespace: string,
  wanted: SearchAttributes,
  options: { timeoutMs: number; access?: TemporalAccess },
): Promise<string[]> {
  return withTemporal(address, options, async (connection) => {
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
    const missing: Record<string, number> = {};
    for (const [name, kind] of Object.entries(wanted)) {
      const found = customAttributes?.[name];
      if (found === undefined || found === null) missing[name] = KIND_NUMBER[kind];
      else if (found !== KIND_NUMBER[kind]) {
        throw new Error(
          `search attribute ${name} of namespace ${namespace} at ${address} is not of type ${kind}; remove it or use another namespace`,
        );
      }
    }
    const names = Object.keys(missing);
    if (names.length > 0) {
      await connection.operatorService.addSearchAttributes({ namespace, searchAttributes: missing });
    }
    return names;
  });
}

async function withTemporal<T>(
  address: string,
  { timeoutMs, access }: { timeoutMs: number; access?: TemporalAccess },
  use: (connection: Connection) => Promise<T>,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  let connection: Connection | undefined;
  try {
    connection = await Connection.connect({
      address,
      connectTimeout: timeoutMs,
      ...access,
      interceptors: closingCalls(),
    });
    const open = connection;
    return await open.withDeadline(deadline, () => use(open));
  } catch (error) {
    if (!isGrpcServiceError(error) && connection) throw error;
    const reason = await tlsReason(address, access ?? {}, timeoutMs);
    throw unavailable(address, error, reason);
  } finally {
    await connection?.close();
  }
}

function unavailable(address: string, error: unknown, known: string | null): TemporalUnavailableError {
  const { message } = error instanceof Error ? error : { message: String(error) };
  const reason = known ?? ((isGrpcServiceError(error) && error.details) || message);
  return new TemporalUnavailableError(
    address,
    `Temporal at ${address} can't be used: ${reason.trim().replace(/\.$/, '') || 'no answer'}`,
    { cause: error },
  );
}
