// Builds what the steps of a route's events need to know of the route. The ledger freezes it when the route is opened.

import { routeSyncName } from '../../../core/ids.ts';
import type { MappingConfig } from '../../../mapping/config.ts';
import type { RouteConfig } from '../config.ts';
import type { IntakeSpec } from '../store/intake-runs.ts';

/** @param mapping of a route whose action is `lead` */
export function intakeSpec(name: string, route: RouteConfig, mapping: MappingConfig | null): IntakeSpec {
  const { account, action } = route;
  const sync = routeSyncName(name);
  // Keys with their default are left out, so that the spec of a run does not change when Sluice gets a new key.
  const place: IntakeSpec = {
    account,
    sync,
    ...(route.erasedPeople === 'accept' && { erasedPeople: 'accept' }),
    ...(route.optOut === 'ignore' && { optOut: 'ignore' }),
  };
  if (action.type !== 'lead') return place;
  if (mapping === null) throw new Error(`the route "${name}" creates leads but has no mapping`);
  const { mode, fields, conflict, extraInfo, validateNumber, tags, moveCard } = action;
  const options = { mode, fields, conflict, extraInfo, validateNumber, tags, keepCard: !moveCard };
  return { ...place, options, mapping };
}
