// docs/reference/operator-api.md: every endpoint of the operator API, out of its contract.
import { API_PREFIX, type Endpoint } from '../../src/core/endpoint.ts';
import { ENDPOINTS } from '../../src/operator/contract/index.ts';
import { code, fence, GENERATED, item, page, wrap } from './markdown.ts';

const TITLES: Readonly<Record<string, string>> = {
  accounts: 'Accounts',
  assumptions: 'Configuration',
  audit: 'Users and logins',
  calls: 'Overview and calls',
  'campaign-approvers': 'Campaigns',
  'campaign-runs': 'Campaigns',
  campaigns: 'Campaigns',
  'campaign-drafts': 'Drafts of campaigns',
  codec: 'Codec server of Temporal',
  configuration: 'Configuration',
  console: 'Users and logins',
  conversations: 'Conversations and messages',
  'dead-letters': 'Events',
  deliveries: 'Conversations and messages',
  doctor: 'Configuration',
  'event-values': 'Events',
  events: 'Events',
  failures: 'Overview and calls',
  gaps: 'Conversations and messages',
  kafka: 'Events',
  ledger: 'Configuration',
  login: 'Users and logins',
  logout: 'Users and logins',
  messages: 'Conversations and messages',
  'opt-outs': 'Opt-outs',
  outbox: 'Sinks',
  needs: 'Overview and calls',
  notices: 'Overview and calls',
  overview: 'Overview and calls',
  password: 'Users and logins',
  people: 'People',
  pollers: 'Conversations and messages',
  plans: 'Syncs',
  refusals: 'Events',
  'refused-requests': 'Events',
  retention: 'Configuration',
  schedules: 'Syncs',
  session: 'Users and logins',
  'second-factor': 'Users and logins',
  sessions: 'Users and logins',
  sinks: 'Sinks',
  spending: 'Overview and calls',
  syncs: 'Syncs',
  'sync-names': 'Syncs',
  temporal: 'Configuration',
  tokens: 'Users and logins',
  uploads: 'Syncs',
  users: 'Users and logins',
};

const EXAMPLE = `TOKEN=$(cat token)
curl -H "Authorization: Bearer $TOKEN" http://127.0.0.1:8088${API_PREFIX}/overview
curl -H "Authorization: Bearer $TOKEN" --json '{"reason": "CRM maintenance"}' \\
  http://127.0.0.1:8088${API_PREFIX}/syncs/leads/pause`;

export function renderOperatorApi(): string {
  const chapters = new Map<string, string[]>();
  for (const [route, endpoint] of Object.entries<Endpoint>(ENDPOINTS)) {
    const noun = /^\w+ \/([\w-]+)/.exec(route)?.[1] ?? '';
    const title = TITLES[noun];
    if (title === undefined) throw new Error(`scripts/reference/operator-api.ts has no title for /${noun}`);
    chapters.set(title, [...(chapters.get(title) ?? []), describe(route, endpoint)]);
  }
  return page(
    '# Operator API',
    GENERATED,
    wrap(
      'The console and the command line read and steer Sluice through this API. Your own programs can, too. `sluice dev`, `npm start` and `sluice console` serve it over HTTP at the address of the console, and on a Unix socket for commands on the same machine.',
    ),
    wrap(
      `\`GET ${API_PREFIX}/openapi.json\` is the OpenAPI document, with the fields of every input and answer. [Open the console to your team](../how-to/console.md) shows how to make users and access tokens.`,
    ),
    fence('text', EXAMPLE),
    '## Conventions',
    [
      item(
        'Send an access token as `Authorization: Bearer`. A browser has a session cookie, and every command needs the header `X-CSRF-Token` with the token of `GET /session`.',
      ),
      item(
        'Path parameters are percent-encoded. GET takes the other fields from the query string, where a list repeats its name. Other methods take a JSON object. Where the body is bytes, the header `Sluice-Fields` has the object, percent-encoded.',
      ),
      item('Times are ISO 8601 in UTC. Durations have their unit in the name.'),
      item(
        'Lists come in pages: `limit` sets the size, and `next` of a page is `before` or `after` of the following request. `next: null` is the end.',
      ),
      item(
        'Personal data is masked. `unmask: true` shows it, needs the role operator, and is written to the audit log.',
      ),
      item(
        'A refusal has the body `{"error": {"kind", "code", "message", "retryAfterMs"}}`. Kinds: `invalid` (400), `unauthenticated` (401), `forbidden` (403), `notFound` (404), `conflict` (409), `tooMany` (429), `failed` (500), `unavailable` (503). [Error codes](exit-codes.md#error-codes) explains `code`.',
      ),
      item(
        `\`GET ${API_PREFIX}/changes\` sends an event \`change\` with the topics that changed, as server-sent events. It sends no data: read again what you show.`,
      ),
      item(
        'Each role may do what the roles before it may do: viewer, operator, approver, admin. Every command is in the audit log, with who gave it and how it ended.',
      ),
    ].join('\n'),
    '## Limits',
    LIMITS.map(item).join('\n'),
    ...[...chapters]
      .toSorted(([a], [b]) => a.localeCompare(b))
      .flatMap(([title, lines]) => [`## ${title}`, lines.join('\n')]),
  );
}

/** Of the HTTP server and the service behind it. */
const LIMITS = [
  'At most 512 connections are open, and 128 of one address (behind a proxy, the proxy must limit those). If there is no space, the connection that has waited longest for its request ends. A request without a login must arrive within 10 seconds.',
  'One identity has at most 20 event streams, and a further one ends the oldest.',
  'Of one user, one count, preview or change of the configuration runs at a time and three more wait. Of all users, three run and nine wait. A further one gets 429 with `Retry-After`.',
  'A viewer may search 30 times a minute and 300 times a day, everybody else 120 times a minute.',
  'Failed logins slow down further ones: of one name at one address after 5 failures, by at most 15 minutes; of one address after 20, by at most 15 minutes; of one name from all addresses after 10, by at most 1 minute. A correct login ends the wait of its name, and adds none to its address. Users who logged in from an address in the last 30 days wait only for failures of their own name at this address. Logins with a password, with a link and with an OpenID provider have a counter each. Each counter takes 60 requests a minute of one address; users who logged in there before, users who are logged in, and holders of a valid link have one of their own.',
] as const;

function describe(route: string, { role, summary }: Endpoint): string {
  return item(`${code(route)} (${role === 'anyone' ? 'without login' : role}): ${summary}`);
}
