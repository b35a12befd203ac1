// Checks the nesting of a JSON value: later steps that traverse a row (hashing, storing) may use the stack.

export const MAX_DEPTH = 64;

export function isShallow(value: object, levels: number): boolean {
  if (levels === 0) return false;
  for (const inner of Object.values(value)) {
    if (typeof inner === 'object' && inner !== null && !isShallow(inner, levels - 1)) return false;
  }
  return true;
}
