// The sandbox's panel, as tests read it: what really happened, seen from the service.
import { request } from 'undici';

export interface PanelRequest {
  readonly seq: number;
  /** SHA-256 of the bearer token, hex. */
  readonly tokenHash: string | null;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly code: string | null;
  /** When the call came in, ISO 8601. */
  readonly at: string;
  /** Set when the client was given something else than the service's answer. */
  readonly fault?: string;
  /** Beside `fault`: the status of the answer whose effect was committed; null when the call reached no endpoint. */
  readonly served?: number | null;
}

export interface PanelCard {
  readonly id: number;
  readonly contactId: number;
  readonly pipelineId: number;
  readonly stageId: number | null;
  readonly status: string;
}

export interface PanelContact {
  readonly id: number;
  readonly number: string;
  readonly name: string;
  readonly email: string | null;
  readonly tagIds: number[];
  readonly extraInfo: { name: string; value: string }[];
}

export interface PanelFlowRun {
  readonly at: string;
  readonly flowId: number;
  readonly contactId: number;
  readonly ticketId: number;
  readonly variables: Record<string, unknown>;
}

export function panelOf(panelUrl: string) {
  async function ask<T>(
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    path: string,
    body?: object,
  ): Promise<T> {
    const answer = await request(`${panelUrl}${path}`, {
      method,
      ...(body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 400) throw new Error(`panel ${method} ${path}: ${answer.statusCode} ${text}`);
    return (text === '' ? {} : JSON.parse(text)) as T;
  }
  return {
    async requests(since = 0): Promise<PanelRequest[]> {
      return (await ask<{ requests: PanelRequest[] }>('GET', `/requests?since=${since}`)).requests;
    },
    async flowRuns(): Promise<PanelFlowRun[]> {
      return (await ask<{ runs: PanelFlowRun[] }>('GET', '/flow-runs')).runs;
    },
    account: (id = 'acme') => ask<{ contacts: PanelContact[]; cards: PanelCard[] }>('GET', `/accounts/${id}`),
    patch: (body: object, id = 'acme') => ask<object>('PATCH', `/accounts/${id}`, body),
    inbound: (body: { number: string; body: string; connectionId: number }, id = 'acme') =>
      ask<{ conversationId: number; messageId: string }>('POST', `/accounts/${id}/inbound`, body),
    fault: (fault: object) => ask<object>('POST', '/faults', fault),
    /** Has any fault been given to a request? */
    async fired(): Promise<boolean> {
      const { faults } = await ask<{ faults: { fired: number }[] }>('GET', '/faults');
      return faults.some(({ fired }) => fired > 0);
    },
    clearFaults: () => ask<object>('DELETE', '/faults'),
  };
}

/** Requests of this kind that had an effect, whatever answer the client got. */
export function effects(requests: readonly PanelRequest[], method: string, path: RegExp): PanelRequest[] {
  return requests.filter((each) => {
    const status = each.fault === undefined ? each.status : (each.served ?? 0);
    return each.method === method && path.test(each.path) && status >= 200 && status < 300;
  });
}

/** Requests that write. */
export function writes(requests: readonly PanelRequest[]): PanelRequest[] {
  return requests.filter(({ method }) => method !== 'GET');
}

/** `POST /v1/contacts`, in order. */
export const callNames = (requests: readonly PanelRequest[]): string[] =>
  requests.map(({ method, path }) => `${method} ${path}`);
