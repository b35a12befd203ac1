// The endpoints for operators and their tools: health, readiness, OpenAPI document and metrics.
import type { RequestHandler } from 'express';
import type { Registry } from 'prom-client';
import { type Acceptance, type Load, NotAcceptedError } from '../intake.ts';
import { answer, answerJson, notAcceptedProblem } from './answers.ts';

/** Time limit of a readiness check. */
const READY_TIMEOUT_MS = 5000;

export interface ServiceOptions {
  readonly acceptance: Pick<Acceptance, 'ready' | 'loads'>;
  readonly registry: Registry;
  readonly description: object;
  isClosing(): boolean;
  /** Whether a body of maximum length would find no memory. */
  isFull(): boolean;
}

/** Handlers of GET by path. */
export function serviceHandlers(options: ServiceOptions): Readonly<Record<string, RequestHandler>> {
  const { acceptance, registry, description, isClosing, isFull } = options;
  const askLoads = shared(async () => {
    await acceptance.ready();
    return await acceptance.loads();
  });
  return {
    '/healthz': (_req, res) => answerJson(res, 200, { live: true }),
    '/readyz': async (_req, res) => {
      const loads = isClosing()
        ? closing()
        : isFull()
          ? full()
          : await within(READY_TIMEOUT_MS, askLoads()).catch(notReady);
      if (!(loads instanceof NotAcceptedError)) {
        answerJson(res, 200, { ready: true, loads });
        return;
      }
      const { status, code, message, headers } = notAcceptedProblem(loads);
      answerJson(res, status, { ready: false, error: message, code }, headers);
    },
    '/openapi.json': (_req, res) => answerJson(res, 200, description),
    '/metrics': async (_req, res) =>
      answer(res, 200, await registry.metrics(), { 'Content-Type': registry.contentType }),
  };
}

function closing(): NotAcceptedError {
  return new NotAcceptedError('CLOSING', 1000, 'the server is shutting down');
}

function full(): NotAcceptedError {
  return new NotAcceptedError('BUSY', 1000, 'bodies waiting for their answers use all memory for bodies');
}

function notReady(error: unknown): NotAcceptedError {
  if (error instanceof NotAcceptedError) return error;
  throw error;
}

// Frequent requests cost one check at a time.
function shared(ask: () => Promise<Load[]>): () => Promise<Load[]> {
  let asked: Promise<Load[]> | null = null;
  return () => {
    asked ??= ask().finally(() => {
      asked = null;
    });
    return asked;
  };
}

async function within<T>(ms: number, answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new NotAcceptedError('TEMPORAL', 1000, `no answer within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
