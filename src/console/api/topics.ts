// Which answers are out of date when the server announces a change. A topic is the first folder of a route; a screen that
// shows more names its topics itself.
export type Topic =
  | 'overview'
  | 'syncs'
  | 'campaigns'
  | 'events'
  | 'conversations'
  | 'sinks'
  | 'people'
  | 'audit'
  | 'settings'
  | 'session';

/** Folders whose answers change with other topics too. */
const ALSO: Readonly<Record<string, readonly Topic[]>> = {
  calls: ['overview'],
  'event-values': ['events'],
  // A request that was accepted after all is an event.
  'refused-requests': ['events'],
  spending: ['overview'],
  failures: ['overview'],
  pollers: ['conversations'],
  outbox: ['sinks'],
  // Pollers and campaigns read opt-outs; the audit log has those that operators record.
  'opt-outs': ['conversations', 'campaigns', 'audit'],
  people: ['syncs', 'campaigns', 'events', 'conversations'],
};

/** @param route for example `GET /syncs/{sync}/runs`, which has the topic `syncs` */
export function topicsOf(route: string): readonly string[] {
  const [, folder = ''] = /^\w+ \/([\w-]+)/.exec(route) ?? [];
  return [folder, ...(ALSO[folder] ?? [])];
}
