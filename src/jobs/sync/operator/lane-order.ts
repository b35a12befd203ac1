// Who goes before and after a sync for the budget of its account, with each lane that it could have.
import { LANE_NAMES, type LaneName } from '../../../core/lanes.ts';
import { type EventRequest, eventLane } from '../../events/contract/intake.ts';
import type { LaneOrder } from '../contract/lane-order.ts';

type Work = LaneOrder['before'][number];

/** What of the configuration makes calls. */
export interface Spenders {
  readonly syncs: Readonly<Record<string, { readonly account: string; readonly lane: LaneName }>>;
  readonly campaigns: Readonly<Record<string, { readonly account: string }>>;
  readonly pollers: Readonly<Record<string, { readonly account: string }>>;
  readonly routes: Readonly<
    Record<string, { readonly account: string; readonly action: { readonly type: EventRequest['type'] } }>
  >;
}

interface Spender extends Work {
  readonly account: string;
  readonly lane: LaneName;
}

function spendersOf({ syncs, campaigns, pollers, routes }: Spenders): Spender[] {
  const each = <T>(from: Readonly<Record<string, T>>, of: (one: T, name: string) => Spender) =>
    Object.entries(from).map(([name, one]) => of(one, name));
  return [
    ...each(routes, ({ account, action }, name) => ({
      kind: 'route',
      name,
      account,
      lane: eventLane(action.type, name),
    })),
    ...each(pollers, ({ account }, name) => ({ kind: 'poller', name, account, lane: 'poll' })),
    ...each(campaigns, ({ account }, name) => ({ kind: 'campaign', name, account, lane: 'campaign' })),
    ...each(syncs, ({ account, lane }, name) => ({ kind: 'sync', name, account, lane })),
  ];
}

/** @param lanes that the sync could have */
export function laneOrders(
  config: Spenders,
  { account, sync }: { readonly account: string; readonly sync: string },
  lanes: readonly LaneOrder['lane'][],
): LaneOrder[] {
  const others = spendersOf(config).filter(
    (one) => one.account === account && !(one.kind === 'sync' && one.name === sync),
  );
  return lanes.map((lane) => {
    const rank = LANE_NAMES.indexOf(lane);
    const where = (is: (distance: number) => boolean): Work[] =>
      others
        .filter((one) => is(LANE_NAMES.indexOf(one.lane) - rank))
        .map(({ kind, name }) => ({ kind, name }));
    return {
      lane,
      before: where((distance) => distance < 0),
      beside: where((distance) => distance === 0),
      after: where((distance) => distance > 0),
    };
  });
}
