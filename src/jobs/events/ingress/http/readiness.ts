// Whether the HTTP ingress accepts events, for the admin listener of the process.
import { type Acceptance, type Load, NotAcceptedError } from '../intake.ts';
import { notAcceptedProblem } from './answers.ts';

/** Time limit of a check. */
const READY_TIMEOUT_MS = 4000;

export interface ReadinessOptions {
  readonly acceptance: Pick<Acceptance, 'ready' | 'loads'>;
  isClosing(): boolean;
  /** Whether a body of maximum length would find no memory. */
  isFull(): boolean;
}

export type IngressReadiness =
  | { readonly ready: true; readonly loads: readonly Load[] }
  | { readonly ready: false; readonly code: string; readonly error: string };

/** Checks Temporal and the ledger. Rejects for an error that is no refusal. */
export async function checkReadiness(options: ReadinessOptions): Promise<IngressReadiness> {
  try {
    return { ready: true, loads: await loadsOf(options) };
  } catch (error) {
    if (!(error instanceof NotAcceptedError)) throw error;
    const { code, message } = notAcceptedProblem(error);
    return { ready: false, code, error: message };
  }
}

async function loadsOf({ acceptance, isClosing, isFull }: ReadinessOptions): Promise<Load[]> {
  if (isClosing()) throw new NotAcceptedError('CLOSING', 1000, 'the server is shutting down');
  if (isFull())
    throw new NotAcceptedError('BUSY', 1000, 'bodies waiting for their answers use all memory for bodies');
  const load = async () => {
    await acceptance.ready();
    return await acceptance.loads();
  };
  return await within(READY_TIMEOUT_MS, load());
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
