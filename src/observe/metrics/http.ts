// Metrics of the HTTP ingress.
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

export interface HttpMetrics {
  /**
   * A request was answered. `status` is `gone` if its sender left before, and `route` is `-` if no route has the path.
   */
  request(route: string, status: number | 'gone', seconds: number): void;
  accepted(route: string, count: number): void;
  duplicate(route: string, count: number): void;
  skipped(route: string): void;
  /** Answered with a status of 4xx. */
  refused(route: string, code: string): void;
  /** Answered with 503. */
  notAccepted(route: string, reason: string): void;
  /** Reads the number of open connections at each scrape. */
  watchConnections(count: () => number): void;
  /** Reads the bytes of bodies in memory at each scrape. */
  watchBodies(used: () => { readonly proven: number; readonly unproven: number }): void;
}

export function createHttpMetrics(registry: Registry): HttpMetrics {
  const registers = [registry];
  let countConnections: (() => number) | null = null;
  let usedByBodies: (() => { readonly proven: number; readonly unproven: number }) | null = null;
  const requests = new Counter({
    name: 'sluice_ingress_http_requests_total',
    help: 'HTTP requests, by route and status',
    labelNames: ['route', 'status'],
    registers,
  });
  const seconds = new Histogram({
    name: 'sluice_ingress_http_request_seconds',
    help: 'Seconds from the headers of a request to the end of its response',
    labelNames: ['route'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers,
  });
  const events = new Counter({
    name: 'sluice_ingress_http_events_total',
    help: 'Events, by route and result: accepted, duplicate or skipped',
    labelNames: ['route', 'result'],
    registers,
  });
  const refused = new Counter({
    name: 'sluice_ingress_http_refused_total',
    help: 'Requests refused with a status of 4xx, by route and error code',
    labelNames: ['route', 'code'],
    registers,
  });
  const notAccepted = new Counter({
    name: 'sluice_ingress_http_not_accepted_total',
    help: 'Requests refused with 503, by route and reason; their senders retry',
    labelNames: ['route', 'reason'],
    registers,
  });
  const open: Gauge = new Gauge({
    name: 'sluice_ingress_http_connections',
    help: 'Open connections',
    registers,
    collect() {
      if (countConnections !== null) open.set(countConnections());
    },
  });
  const bytes: Gauge = new Gauge({
    name: 'sluice_ingress_http_body_bytes',
    help: 'Bytes of request bodies in memory, by sender: proven (authenticated) or unproven',
    labelNames: ['sender'],
    registers,
    collect() {
      for (const [sender, sum] of Object.entries(usedByBodies?.() ?? {})) bytes.set({ sender }, sum);
    },
  });
  return {
    request(route, status, took) {
      requests.inc({ route, status });
      seconds.observe({ route }, took);
    },
    accepted: (route, count) => events.inc({ route, result: 'accepted' }, count),
    duplicate: (route, count) => events.inc({ route, result: 'duplicate' }, count),
    skipped: (route) => events.inc({ route, result: 'skipped' }),
    refused: (route, code) => refused.inc({ route, code }),
    notAccepted: (route, reason) => notAccepted.inc({ route, reason }),
    watchConnections(count) {
      countConnections = count;
    },
    watchBodies(used) {
      usedByBodies = used;
    },
  };
}
