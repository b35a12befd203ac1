// Which people a run has seen, and where each record is. A phone number has at most 15 digits, so a key fits into a
// double: 12 bytes per person, at most 24 with free places, instead of about 150 in a Map.

/** The person's record is in run_records. */
export const STAGED = -1;
/** All rows of the person so far were rejected. The person is in the source but has no record. */
export const BARRED = -2;
/** The rows of the number contradict each other and were rejected. The person has no record. */
export const REFUSED = -3;

/** Factor between the page and the index in the page. A page has fewer rows than this. */
export const PLACES = 8192;

const EMPTY = 0;

export class SeenKeys {
  #keys = new Float64Array(1024);
  #places = new Int32Array(1024);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** STAGED, BARRED, REFUSED, or page × PLACES + index in the page; undefined for a new person. */
  get(key: string): number | undefined {
    const at = this.#find(toNumber(key));
    return this.#keys[at] === EMPTY ? undefined : this.#places[at];
  }

  set(key: string, place: number): void {
    this.#put(toNumber(key), place);
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  /** Encodes keys and places as bytes for the ledger: what this page added or changed. */
  static encode(changes: ReadonlyMap<string, number>): { keys: Uint8Array; places: Uint8Array } {
    const keys = Float64Array.from(changes.keys(), toNumber);
    const places = Int32Array.from(changes.values());
    return { keys: new Uint8Array(keys.buffer), places: new Uint8Array(places.buffer) };
  }

  apply(changes: { keys: Uint8Array; places: Uint8Array }): void {
    // Copies the bytes, because a driver's buffer need not start at a multiple of eight. `slice` of a Buffer does not
    // copy.
    const keys = new Float64Array(new Uint8Array(changes.keys).buffer);
    const places = new Int32Array(new Uint8Array(changes.places).buffer);
    for (const [n, key] of keys.entries()) this.#put(key, places[n] as number);
  }

  #put(key: number, place: number): void {
    const at = this.#find(key);
    if (this.#keys[at] === EMPTY) {
      this.#keys[at] = key;
      this.#size++;
    }
    this.#places[at] = place;
    if (this.#size * 2 > this.#keys.length) this.#grow();
  }

  /** Where the key is, or the free place where it belongs. */
  #find(key: number): number {
    const mask = this.#keys.length - 1;
    let at = spread(key) & mask;
    for (;;) {
      const found = this.#keys[at];
      if (found === key || found === EMPTY) return at;
      at = (at + 1) & mask;
    }
  }

  #grow(): void {
    const [keys, places] = [this.#keys, this.#places];
    this.#keys = new Float64Array(keys.length * 2);
    this.#places = new Int32Array(keys.length * 2);
    for (const [n, key] of keys.entries()) {
      if (key === EMPTY) continue;
      const at = this.#find(key);
      this.#keys[at] = key;
      this.#places[at] = places[n] as number;
    }
  }
}

/** Numbers of one block differ only in their last digits. Multiplication spreads them out. */
function spread(key: number): number {
  const high = Math.floor(key / 0x1_0000_0000);
  const mixed = Math.imul((key | 0) ^ Math.imul(high, 0x85ebca6b), 0x9e3779b1);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}

function toNumber(key: string): number {
  const number = Number(key);
  // A key that could be confused with another would merge two people.
  if (!Number.isSafeInteger(number) || number <= 0 || String(number) !== key)
    throw new RangeError('the key of a person is a number of 8 to 15 digits that does not begin with 0');
  return number;
}
