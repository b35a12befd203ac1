// Events of opt-outs, for the transaction that records or withdraws them. An opt-out by erasing a person has none: it
// would name who was erased.
import type { RecordedOptOut, WithdrawnOptOut } from '../../../core/store/opt-outs.ts';
import type { OptOutEvent } from '../contract/opt-out-events.ts';
import type { Announced } from './outbox.ts';

/** Events of the opt-outs that are new. Known ones have none. */
export function addedOptOuts(
  account: string,
  recorded: readonly RecordedOptOut[],
  { via, by = null }: { readonly via: OptOutEvent['data']['via']; readonly by?: string | null },
): Announced[] {
  return recorded.flatMap(({ result, key, at, row }) => {
    if (result !== 'added' || row === null) return [];
    const optOut = { account, optOut: row.id, number: key, via, at: at.toISOString(), by };
    return [announced('sluice.optout.added', row.recordedAt, optOut)];
  });
}

/** @param number the person's, as the operator wrote it */
export function withdrawnOptOuts(
  account: string,
  withdrawn: readonly WithdrawnOptOut[],
  { number, by }: { readonly number: string; readonly by: string },
): Announced[] {
  return withdrawn.map(({ id, via, at, withdrawnAt }) =>
    announced('sluice.optout.withdrawn', withdrawnAt, {
      account,
      optOut: id,
      number,
      via,
      at: at.toISOString(),
      by,
    }),
  );
}

function announced(type: OptOutEvent['type'], at: Date, data: OptOutEvent['data']): Announced {
  const { account, optOut } = data;
  const time = at.toISOString();
  const event: OptOutEvent = {
    specversion: '1.0',
    id: `${type}/${account}/${optOut}/${time}`,
    source: `/sluice/accounts/${account}/opt-outs`,
    type,
    subject: String(optOut),
    time,
    datacontenttype: 'application/json',
    partitionkey: `${account}/opt-outs/${optOut}`,
    data,
  };
  return { event, connection: null };
}
