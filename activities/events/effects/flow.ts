// Step that triggers a flow, at most once, because nothing shows whether it ran.
import type { EffectResult } from '../../../src/jobs/events/contract/intake.ts';
import type { Deps } from '../../shared/deps.ts';
import { isRefusal } from '../../shared/refusal-scope.ts';
import { writeOnce } from '../../shared/write-once.ts';
import { type EffectInput, finish, personOf, runEffect, subjectOf } from './effect.ts';

export function createFlowEffects(deps: Deps) {
  return {
    /**
     * POST /v1/flows/trigger. Nothing can be read back, so a lost response makes the outcome unknown, and the call is
     * never repeated. If a person is serving the contact (409), the event fails with that code.
     */
    async triggerFlow(input: EffectInput): Promise<EffectResult> {
      return await runEffect(deps, 'triggerFlow', ['flow'], input, async (c) => {
        const { request, progress, event, account } = c;
        const seen = progress.contact?.id;
        const id = seen ?? (await personOf(deps.db, event.account, request.key))?.remote_id ?? undefined;
        // All tokens of an account have the same assumptions.
        const identity = account.tokens[0]?.client.flows.contactIdentity;
        if (identity === 'id' && id === undefined) return { next: 'findContact' };
        const flow = { flowId: request.flow, whatsappId: request.connection, variables: request.variables };
        const contact = { number: request.number, id };
        const subject = subjectOf(deps, c, 'event-flow', { call: 'triggerFlow', readBack: null });
        const done = writeOnce(
          deps,
          subject,
          {
            scope: 'flows:trigger',
            call: (client, options) => client.flows.trigger({ ...flow, contact }, options),
            accepted: (tx, _, intent) => finish(deps, tx, event.id, { outcome: 'done' }, { intent }),
            unseen: 'FLOW_AMBIGUOUS',
          },
          c.intent,
        );
        return await done.catch((error): EffectResult => {
          // The contact in the ledger was deleted; a new one may exist.
          const isGone = isRefusal(error) && error.code === 'ERR_NO_CONTACT_FOUND';
          if (isGone && seen === undefined && id !== undefined) return { next: 'findContact' };
          throw error;
        });
      });
    },
  };
}
