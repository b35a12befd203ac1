// Checks the instance itself by its rate headers, its clock and its connections.
import type { Connection, Listing, RateHeaders } from '../../service/api-client/index.ts';
import type { Findings } from './findings.ts';
import { type Probed, reasonOf } from './probe.ts';
import { say } from './say.ts';
import type { Seen } from './wire.ts';

/** No service has a limit like this. The sandbox reports one when its limit is off. */
const MANY = 1_000_000;

/** Compares the limit of the service with the configured one (API text, Limits, Rate headers). */
export function checkRate(rate: RateHeaders | null, callsPerMinute: number, findings: Findings): void {
  if (rate === null) {
    findings.warning('rate', say('CHECK_RATE_NONE'), say('FIX_RATE_PROXY', { callsPerMinute }));
    return;
  }
  const { limit } = rate;
  if (limit === callsPerMinute) {
    findings.ok('rate', say('CHECK_RATE', { limit }));
  } else if (limit > callsPerMinute) {
    findings.ok(
      'rate',
      say(limit > MANY ? 'CHECK_RATE_OFF' : 'CHECK_RATE_HIGHER', { limit, callsPerMinute }),
    );
  } else {
    findings.warning('rate', say('CHECK_RATE_LOWER', { limit, callsPerMinute }));
  }
}

/** A Date header has whole seconds, so a difference of one second is ignored. */
const FINE_S = 5;
/** Sluice searches for lost answers of upserts and contacts by time, with this tolerance. */
const TOO_MUCH_S = 60;

/** The minimum difference of the two clocks: the answer was written at some moment of the call. */
export function checkClock(seen: Seen | null, findings: Findings): void {
  if (seen === null || seen.date === null) {
    findings.unchecked('clock', say('CHECK_CLOCK_UNREAD'));
    return;
  }
  const { date, sentAt, answeredAt } = seen;
  const ahead = Math.max(0, sentAt - (date + 1000));
  const behind = Math.max(0, date - answeredAt);
  const seconds = Math.round(Math.max(ahead, behind) / 1000);
  if (seconds <= FINE_S) {
    findings.ok('clock', say('CHECK_CLOCK'));
    return;
  }
  const said = say(ahead > behind ? 'CHECK_CLOCK_AHEAD' : 'CHECK_CLOCK_BEHIND', { seconds });
  if (seconds <= TOO_MUCH_S) findings.warning('clock', said);
  else findings.problem('clock', said);
}

const canSend = ({ channel }: Connection) => channel === 'whatsapp' || channel === 'waba';

/** Which connections can send, and which one sends by default (API text, POST /v1/messages/send, rule 3). */
export function checkConnections(
  probed: Probed<Listing<Connection>>,
  validates: boolean,
  findings: Findings,
): void {
  if (probed.data === null) {
    const said = probed.error === null ? say('CHECK_CONNECTIONS_UNREAD') : reasonOf(probed.error);
    findings.unchecked('connections', said);
    return;
  }
  const { items, invalid } = probed.data;
  if (invalid.length > 0) {
    const path = invalid[0]!.path;
    findings.warning('connections', say('CHECK_CONNECTIONS_BROKEN', { broken: invalid.length, path }));
  }
  const byId = items.toSorted((a, b) => a.id - b.id);
  for (const connection of byId) {
    const { id, name, channel, status, isDefault } = connection;
    const facts = { connection: `${id} "${name}" (${channel})`, status };
    if (isDefault) findings.ok('connections', say('CHECK_CONNECTION_MARKED', facts));
    if (!canSend(connection)) findings.ok('connections', say('CHECK_CONNECTION_OTHER', facts));
    else if (status === 'CONNECTED') findings.ok('connections', say('CHECK_CONNECTION_SENDS', facts));
    else findings.warning('connections', say('CHECK_CONNECTION_DOWN', facts));
  }
  const senders = byId.filter(canSend);
  checkSenders(senders, validates, findings);
}

function checkSenders(senders: readonly Connection[], validates: boolean, findings: Findings): void {
  if (senders.length === 0) {
    if (validates) findings.problem('connections', say('CHECK_SENDERS_VALIDATE'));
    else findings.warning('connections', say('CHECK_SENDERS_NONE'));
    return;
  }
  if (validates && senders.every(({ channel }) => channel === 'waba')) {
    findings.warning('connections', say('CHECK_VALIDATE_WABA'));
  }
  const fallback = senders.find(({ status }) => status === 'CONNECTED') ?? senders[0]!;
  findings.unchecked('connections', say('CHECK_SENDER_DEFAULT', { connection: String(fallback.id) }));
}
