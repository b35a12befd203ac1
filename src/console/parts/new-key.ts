/** An idempotency key. Not crypto.randomUUID: browsers offer it on secure addresses only. */
export function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}
