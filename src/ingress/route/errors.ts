// The error of a route that can't work, found when it is opened and so before any event.

/** `path` leads to the entry inside the route, as in `['schema', 'properties', 'phone', 'if']`. */
export class RouteConfigError extends Error {
  override readonly name = 'RouteConfigError';
  readonly path: string[];
  /** The message without the place, for those who show it in another way. */
  readonly problem: string;
  constructor(route: string, path: readonly string[], problem: string, options?: ErrorOptions) {
    super(`route ${route}, ${path.join('.')}: ${problem}`, options);
    this.path = [...path];
    this.problem = problem;
  }
}
