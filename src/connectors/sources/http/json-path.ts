// Dot-paths into JSON: own properties and items of lists only.

/** Returns the value at `path`, or undefined. Without a path, returns the value itself. */
export function at(value: unknown, path: string | undefined): unknown {
  if (path === undefined) return value;
  let found = value;
  for (const part of path.split('.')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, part)) return undefined;
    found = (found as Readonly<Record<string, unknown>>)[part];
  }
  return found;
}

/** Returns a copy of `target` with `value` at `path`. Missing objects on the way are created. */
export function withValue(
  target: Readonly<Record<string, unknown>>,
  path: string,
  value: unknown,
): Record<string, unknown> {
  const [head = '', ...rest] = path.split('.');
  const inner = Object.hasOwn(target, head) ? target[head] : undefined;
  const below = typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? inner : {};
  const next = rest.length === 0 ? value : withValue(below as Record<string, unknown>, rest.join('.'), value);
  // Computed keys of a literal define a property, so `__proto__` is a name like any other.
  return { ...target, [head]: next };
}
