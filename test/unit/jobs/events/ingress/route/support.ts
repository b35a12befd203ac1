// Routes and deliveries for the tests of how one reads the other.
import { RouteConfig } from '../../../../../../src/jobs/events/config.ts';
import { type Delivery, RefusedError, type Route } from '../../../../../../src/jobs/events/ingress/intake.ts';
import { openRoute } from '../../../../../../src/jobs/events/ingress/route/index.ts';
import type { CompiledAction } from '../../../../../../src/jobs/events/rules/actions.ts';

export type View = Readonly<Record<string, unknown>>;

const ACTIONS: Record<string, unknown> = {
  lead: { type: 'lead', mapping: 'crm' },
  stage: { type: 'stage', card: 'card', stage: 'stage' },
  tags: { type: 'tags', number: 'phone', add: ['vip'] },
  message: { type: 'message', number: 'phone', text: 'text' },
  flow: { type: 'flow', number: 'phone', flow: 1, connection: 1 },
};

export interface RouteOptions {
  readonly name?: string;
  readonly account?: string;
  readonly action?: keyof typeof ACTIONS;
  readonly format?: 'auto' | 'json' | 'cloudevents' | 'debezium';
  readonly key?: string;
  readonly order?: string;
  readonly schema?: Record<string, unknown>;
  readonly compile?: CompiledAction;
}

/** A route whose action asks for the same whatever comes in, and the views that it was given. */
export function scripted(options: RouteOptions = {}): { route: Route; views: View[] } {
  const views: View[] = [];
  const compile: CompiledAction = options.compile ?? {
    columns: [],
    apply(view) {
      views.push(view);
      const request = {
        type: 'tags' as const,
        number: '5511987654321',
        key: '5511987654321',
        add: [],
        remove: [],
      };
      return { ok: true, request, subject: 'person/5511987654321', warnings: [] };
    },
  };
  const { name = 'leads', account = 'acme', action = 'lead', format = 'auto', key, order, schema } = options;
  const config = RouteConfig.parse({
    account,
    http: { path: '/leads', auth: { type: 'none' } },
    kafka: { cluster: 'main', topics: ['leads'], format },
    action: ACTIONS[action],
    ...(key === undefined ? {} : { key }),
    ...(order === undefined ? {} : { order }),
  });
  return { route: openRoute(name, config, { compile, schema }), views };
}

export type Body = string | Uint8Array | object;

export function http(body: Body, headers: Record<string, string> = {}): Delivery {
  return { via: 'http', headers, body: bytes(body) };
}

export function kafka(body: Body, headers: Record<string, string> = {}, offset = 7): Delivery {
  return {
    via: 'kafka',
    headers,
    body: bytes(body),
    fallbackKey: `leads/0/${offset}`,
    about: { topic: 'leads', offset },
  };
}

function bytes(body: Body): Uint8Array {
  if (body instanceof Uint8Array) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

/** The refusal of a delivery; fails when it is read, or when anything else is thrown. */
export async function refusal(route: Route, delivery: Delivery): Promise<RefusedError> {
  const result = await route.read(delivery).catch((error: unknown) => error);
  if (result instanceof RefusedError) return result;
  throw result instanceof Error ? result : new Error(`it was read: ${JSON.stringify(result)}`);
}

/** Id of the only event in a delivery. */
export async function idOf(route: Route, delivery: Delivery): Promise<string> {
  const { drafts } = await route.read(delivery);
  const [draft] = drafts;
  if (draft === undefined || drafts.length !== 1) throw new Error(`${drafts.length} events instead of one`);
  return draft.id;
}

/** What mappings see of the only event in a delivery. */
export async function viewOf(options: RouteOptions, delivery: Delivery): Promise<View> {
  const { route, views } = scripted(options);
  await route.read(delivery);
  const [view] = views;
  if (view === undefined || views.length !== 1) throw new Error(`${views.length} events instead of one`);
  return view;
}
