// The status of messages, and when to check again: which status follows which, and the ages at which a check is worth
// its call.

const ORDER = ['queued', 'sent', 'server_ack', 'delivered', 'read'];

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** A message is followed for this long after sending, in milliseconds. */
export const DELIVERY_DEADLINE_MS = 72 * HOUR;

/** Ages at which a message is checked: at most eight calls for one that nobody ever reads. */
const CHECK_AGES = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  HOUR,
  6 * HOUR,
  24 * HOUR,
  DELIVERY_DEADLINE_MS,
];
/** After delivery, only the read status is left. These ages are some of those above, so the bound stays. */
const DELIVERED_CHECK_AGES = [2 * MINUTE, HOUR, 6 * HOUR, 24 * HOUR, DELIVERY_DEADLINE_MS];
/**
 * A check replaces every later one that is due before the message's age grows by half, because that one would hardly
 * show more.
 */
export const CHECK_SPREAD = 0.5;

/** No status comes after it. */
export function isFinalStatus(status: string): boolean {
  return status === 'read' || status === 'failed';
}

/**
 * Whether `to` is news about a message last seen as `from` (API text, Message status). A status only moves forward,
 * so an older page brings no news. `unknown` has no meaning. A status that the API text does not list is accepted as
 * it is.
 * @param from null means never seen
 */
export function movesOn(from: string | null, to: string): boolean {
  if (from === null) return true;
  if (from === to || isFinalStatus(from) || to === 'unknown') return false;
  const [before, after] = [ORDER.indexOf(from), ORDER.indexOf(to)];
  return before === -1 || after === -1 || after > before;
}

/**
 * When to check again after a check, or a free sighting, at `now`.
 * @returns null when the deadline has passed
 */
export function nextCheck(message: { status: string; sentAt: Date; deadline: Date }, now: Date): Date | null {
  if (now >= message.deadline) return null;
  const age = now.getTime() - message.sentAt.getTime();
  const checks = message.status === 'delivered' ? DELIVERED_CHECK_AGES : CHECK_AGES;
  const at = checks.find((check) => check > age * (1 + CHECK_SPREAD)) ?? DELIVERY_DEADLINE_MS;
  return new Date(Math.min(message.sentAt.getTime() + at, message.deadline.getTime()));
}
