// Chooses what of a message is sent. Outside the 24-hour window of a waba conversation the service delivers only
// approved templates (API text, POST /v1/messages/send, rule 5), so Sluice sends nothing else there unless the route
// allows it.

import { type Window, windowOf } from '../../../src/jobs/conversations/store/window.ts';
import type { RequestOf } from '../../../src/jobs/events/contract/intake.ts';
import type { Deps } from '../../shared/deps.ts';
import { markOf } from '../../shared/message-match.ts';
import { scopesOf } from '../../shared/window-scopes.ts';
import type { Effect } from './effect.ts';

type Message = RequestOf<'message'>;

/** The message to send, or why it is not sent. */
export type Choice =
  | { readonly send: Message }
  | { readonly code: 'WINDOW_CLOSED' | 'WINDOW_UNREAD'; readonly reason: string };

const TEMPLATE_WAY_OUT =
  'send an approved template, or configure the route to send one (outsideWindow: template)';

/**
 * Reads the window and chooses the content, at every attempt: the window may close while the message waits. If the
 * ledger does not know the window, the message is sent as it is, unless its route prefers the template.
 */
export async function chooseContent(deps: Deps, c: Effect<'message'>): Promise<Choice> {
  const { request, event } = c;
  const { outsideWindow = 'refuse', template, connection } = request;
  const rest = withoutTemplate(request);
  if (outsideWindow === 'send') return { send: request };
  // A template alone is delivered at any time.
  if (template !== undefined && rest === null) return { send: request };
  const { to } = request;
  const window = await windowOf(deps.db, {
    account: event.account,
    connection,
    now: new Date(),
    scopeOf: scopesOf(deps, event.account),
    to: 'conversation' in to ? to : { key: to.key },
  });
  if (outsideWindow === 'template' && template !== undefined && rest !== null)
    return { send: window.state === 'open' ? rest : onlyTemplate(request) };
  if (window.state === 'unknown' && window.unread) return { code: 'WINDOW_UNREAD', reason: unreadBy(window) };
  if (window.state !== 'closed') return { send: request };
  return { code: 'WINDOW_CLOSED', reason: `${closedSince(window)}: ${lossOf(request)}` };
}

/** Returns the message as a call sent it, identified by the mark of its intent. */
export function contentSent(request: Message, mark: string | null): Message {
  const forms = [onlyTemplate(request), withoutTemplate(request)];
  return forms.find((form) => form !== null && markOf(form) === mark) ?? request;
}

/** The forms in which a call may have sent the message; several only when no call left a mark in the ledger. */
export function contentsSent(request: Message, mark: string | null): readonly Message[] {
  const rest = withoutTemplate(request);
  const chosen = request.outsideWindow === 'template' && request.template !== undefined && rest !== null;
  return mark === null && chosen ? [rest, onlyTemplate(request)] : [contentSent(request, mark)];
}

function onlyTemplate(request: Message): Message {
  const { text: _text, media: _media, uploads: _uploads, ...rest } = request;
  return rest;
}

/** Null if nothing remains. */
function withoutTemplate({ template: _template, ...rest }: Message): Message | null {
  const { text, media, uploads } = rest;
  return text === undefined && media === undefined && uploads === undefined ? null : rest;
}

function closedSince({ since }: Extract<Window, { state: 'closed' }>): string {
  return since === null
    ? 'the 24-hour window is closed because the contact has not written for more than 24 hours'
    : `the 24-hour window has been closed since ${since.toISOString()}`;
}

/** Sluice could not read whether the customer has written recently. */
function unreadBy({ why }: Extract<Window, { state: 'unknown' }>): string {
  const way = `\`sluice poll status\` and \`sluice poll gaps\` name the assumption to set; then retry the event`;
  return `Sluice can't tell whether the 24-hour window is open, because it could not read the conversation (${why}): ${way}`;
}

function lossOf({ template, text, outsideWindow }: Message): string {
  const what = text === undefined ? 'the files' : 'the text';
  if (template !== undefined) return `${what} beside the template would be lost; ${TEMPLATE_WAY_OUT}`;
  return outsideWindow === 'template'
    ? `the event has no template, and ${what} would not be delivered; fill the template`
    : `${what} would not be delivered; ${TEMPLATE_WAY_OUT}`;
}
