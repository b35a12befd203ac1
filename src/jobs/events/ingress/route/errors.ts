// The error of a misconfigured route. Sluice reports it when it opens the route, before any event.

/** `path` points to the entry inside the route, for example `['schema', 'properties', 'phone', 'if']`. */
export class RouteConfigError extends Error {
  override readonly name = 'RouteConfigError';
  readonly path: string[];
  /** The message without the place, for callers that show the place in another way. */
  readonly problem: string;
  constructor(route: string, path: readonly string[], problem: string, options?: ErrorOptions) {
    super(`route ${route}, ${path.join('.')}: ${problem}`, options);
    this.path = [...path];
    this.problem = problem;
  }
}
