// What log lines say of the work that was in progress.
import { AsyncLocalStorage } from 'node:async_hooks';
import { type Context, context, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, it, onTestFinished } from 'vitest';
import { currentWork } from '../../../../src/cli/lib/log.ts';

const TRACE = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7', traceFlags: 1 };
const EXECUTION = { workflowId: 'crm-sync/acme/leads', runId: '01939a5e-8c14-7c53-a1f5-3a0d6c1f9a41' };

/** Of the program that records traces; the API package alone has none. */
function useContexts(): void {
  const contexts = new AsyncLocalStorage<Context>();
  context.setGlobalContextManager({
    active: () => contexts.getStore() ?? ROOT_CONTEXT,
    with: (active, work, self, ...args) => contexts.run(active, () => work.call(self as never, ...args)),
    bind: (_, target) => target,
    enable() {
      return this;
    },
    disable() {
      return this;
    },
  });
  onTestFinished(() => context.disable());
}

it('nothing outside of activities and traces', () => {
  expect(currentWork()).toEqual({});
});

it('the activity with its workflow and account, also after a wait', async () => {
  const environment = new MockActivityEnvironment({
    activityType: 'workBatch',
    attempt: 3,
    workflowExecution: EXECUTION,
  });
  const found = await environment.run(async () => {
    await new Promise(setImmediate);
    return currentWork();
  });
  expect(found).toEqual({ activityType: 'workBatch', attempt: 3, account: 'acme', ...EXECUTION });
});

it('no account in work for several', async () => {
  const workflowExecution = { ...EXECUTION, workflowId: 'outbox/bus' };
  const environment = new MockActivityEnvironment({ workflowExecution });
  expect(await environment.run(async () => currentWork())).not.toHaveProperty('account');
});

it('the trace and its span', () => {
  useContexts();
  const active = trace.setSpanContext(ROOT_CONTEXT, TRACE);
  expect(context.with(active, currentWork)).toEqual({ trace_id: TRACE.traceId, span_id: TRACE.spanId });
});
