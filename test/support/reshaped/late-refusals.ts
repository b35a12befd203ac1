// A service that refuses the token of many calls at once: the first refusal arrives when all of them are under way, the others when
// the test says so. Until the test begins to refuse, it answers a few calls alone, so that enough are left.
import { until } from '../until.ts';
import type { Rule } from './reshaped-service.ts';

/** Not a path of the API, so the sandbox sees nothing of a refused call. */
const NOWHERE = '/v1/refused';
/** The first write is verified before others follow it. */
const SERVED = 3;

export interface LateRefusals {
  readonly rule: Rule;
  /** From now on calls are refused. The first refusal arrives once `calls` of them are under way. */
  refuse(calls: number): void;
  /** Calls that begin now are served. */
  serve(): void;
  /** The other refusals arrive; returns when they have. */
  release(): Promise<void>;
}

export function lateRefusals(on: RegExp): LateRefusals {
  const all = Promise.withResolvers<void>();
  const late = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  let served = 0;
  let enough: number | null = null;
  let refused = 0;
  let arrived = 0;
  return {
    rule: {
      on,
      errors: true,
      ask(call) {
        if (enough !== null) call.path = NOWHERE;
      },
      async answer(answer, { path }) {
        if (path !== NOWHERE) {
          if (++served > SERVED) await begun.promise;
          return;
        }
        const first = ++refused === 1;
        if (refused === enough) all.resolve();
        await (first ? all.promise : late.promise);
        answer.status = 401;
        answer.body = { error: 'The token was revoked', code: 'ERR_TOKEN_REVOKED' };
        arrived += 1;
      },
    },
    refuse(calls) {
      enough = calls;
      begun.resolve();
    },
    serve() {
      enough = null;
    },
    async release() {
      late.resolve();
      await until('the refusals have arrived', () => arrived === refused);
    },
  };
}
