// Checks the instance itself by its rate headers, its clock and its connections.
import type { Connection, Listing, RateHeaders } from '../../service/api-client/index.ts';
import type { Findings } from './findings.ts';
import { type Probed, reasonOf } from './probe.ts';
import type { Seen } from './wire.ts';

/** No service has a limit like this. The sandbox reports one when its limit is off. */
const MANY = 1_000_000;

/** Compares the limit of the service with the configured one (API text, Limits, Rate headers). */
export function checkRate(rate: RateHeaders | null, callsPerMinute: number, findings: Findings): void {
  if (rate === null) {
    findings.warning(
      'rate',
      'the answers carry no rate headers, which the API promises',
      `Sluice then keeps to callsPerMinute: ${callsPerMinute}; does a proxy take them off?`,
    );
    return;
  }
  const { limit } = rate;
  if (limit === callsPerMinute) {
    findings.ok('rate', `${limit} calls a minute, as callsPerMinute says`);
  } else if (limit > callsPerMinute) {
    findings.ok(
      'rate',
      `${limit > MANY ? 'practically no limit' : `${limit} calls a minute`}; Sluice starts with callsPerMinute: ${callsPerMinute}, then keeps to the headers`,
    );
  } else {
    findings.warning(
      'rate',
      `callsPerMinute is ${callsPerMinute}, yet the service allows ${limit}`,
      `Sluice keeps to the headers as soon as it has seen them; write callsPerMinute: ${limit}`,
    );
  }
}

/** A Date header has whole seconds, so a difference of one second is ignored. */
const FINE_S = 5;
/** Sluice searches for lost answers of upserts and contacts by time, with this tolerance. */
const TOO_MUCH_S = 60;

/** The minimum difference of the two clocks: the answer was written at some moment of the call. */
export function checkClock(seen: Seen | null, findings: Findings): void {
  if (seen === null || seen.date === null) {
    findings.unchecked('clock', 'the answers carry no Date');
    return;
  }
  const { date, sentAt, answeredAt } = seen;
  const ahead = Math.max(0, sentAt - (date + 1000));
  const behind = Math.max(0, date - answeredAt);
  const seconds = Math.round(Math.max(ahead, behind) / 1000);
  if (seconds <= FINE_S) {
    findings.ok('clock', 'this machine and the service agree on the time');
    return;
  }
  const text = `this machine is ${seconds} s ${ahead > behind ? 'ahead of' : 'behind'} the service`;
  const hint = 'set the clock by NTP: writes whose answer was lost are sought by time';
  if (seconds <= TOO_MUCH_S) findings.warning('clock', text, hint);
  else findings.problem('clock', text, { hint });
}

const canSend = ({ channel }: Connection) => channel === 'whatsapp' || channel === 'waba';

/** Which connections can send, and which one sends by default (API text, POST /v1/messages/send, rule 3). */
export function checkConnections(
  probed: Probed<Listing<Connection>>,
  validates: boolean,
  findings: Findings,
): void {
  if (probed.data === null) {
    findings.unchecked('connections', probed.error === null ? 'nothing came' : reasonOf(probed.error));
    return;
  }
  const { items, invalid } = probed.data;
  if (invalid.length > 0) {
    findings.warning('connections', `${invalid.length} can not be read, the first at ${invalid[0]?.path}`);
  }
  const byId = items.toSorted((a, b) => a.id - b.id);
  for (const connection of byId) {
    const { id, name, channel, status, isDefault } = connection;
    const text = `${id} "${name}" (${channel}) is ${status}${isDefault ? ', marked as default' : ''}`;
    if (!canSend(connection)) findings.ok('connections', `${text}; its channel can not send through the API`);
    else if (status === 'CONNECTED') findings.ok('connections', `${text}; can send`);
    else
      findings.warning('connections', text, 'connect it in the panel: what is sent over it will not go out');
  }
  const senders = byId.filter(canSend);
  checkSenders(senders, validates, findings);
}

function checkSenders(senders: readonly Connection[], validates: boolean, findings: Findings): void {
  if (senders.length === 0) {
    const text = 'the account has no whatsapp or waba connection: nothing can be sent';
    if (!validates) findings.warning('connections', text, 'make one in the panel before messages are sent');
    else
      findings.problem('connections', `${text}, and no number can be validated`, {
        hint: 'make one in the panel, or drop validateNumber',
      });
    return;
  }
  if (validates && senders.every(({ channel }) => channel === 'waba')) {
    findings.warning(
      'connections',
      'validateNumber has no effect: a waba connection never blocks a number',
      'drop it from the sync',
    );
  }
  const fallback = senders.find(({ status }) => status === 'CONNECTED') ?? senders[0];
  findings.unchecked(
    'connections',
    `the default of the account; the mark in the panel decides nothing, and without a default ${fallback?.id} sends`,
  );
}
