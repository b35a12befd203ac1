// Faults that an operator of the sandbox injects. The same seed selects the same requests.
import { z } from 'zod';

const FAULT_KINDS = ['reset-before', 'status', 'hang', 'reset-after', 'truncate', 'html', 'delay'] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

const isRegex = (source: string) => {
  try {
    return new RegExp(source) instanceof RegExp;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
};

export const Fault = z.strictObject({
  /** Default: any method. */
  method: z.string().min(1).optional(),
  /** Regular expression, unanchored, for the path below the base URL. Default: every path. */
  path: z.string().refine(isRegex, 'not a regular expression').optional(),
  kind: z.enum(FAULT_KINDS),
  /** `status` only. Default: 500. */
  status: z.int().min(200).max(599).optional(),
  /** `status` only. A text is sent unchanged, anything else as JSON. */
  body: z.unknown().optional(),
  /** `status` only: headers beside the body, for example Retry-After. */
  headers: z.record(z.string(), z.string()).optional(),
  /** `delay` only: milliseconds to wait. */
  ms: z.number().min(0).max(2_147_483_647).optional(),
  /** Number of requests that get it. Default: no limit. */
  times: z.int().min(0).optional(),
  /** Share of the matching requests that get it. Default: all. */
  probability: z.number().min(0).max(1).optional(),
  /** Seed of the draws for `probability`. */
  seed: z.int().optional(),
});
export type Fault = z.infer<typeof Fault>;

export type ListedFault = Fault & {
  readonly id: number;
  /** Number of requests that got it so far. */
  readonly fired: number;
};

interface Armed {
  readonly id: number;
  readonly fault: Fault;
  readonly method: string | null;
  readonly path: RegExp | null;
  readonly draw: () => number;
  fired: number;
}

/** Active faults. They are not persisted: they belong to an experiment and end with the process. */
export class Faults {
  #armed: Armed[] = [];
  #lastId = 0;

  add(fault: Fault): ListedFault {
    this.#lastId += 1;
    const armed: Armed = {
      id: this.#lastId,
      fault,
      method: fault.method?.toUpperCase() ?? null,
      path: fault.path === undefined ? null : new RegExp(fault.path),
      draw: mulberry32(fault.seed ?? 1),
      fired: 0,
    };
    this.#armed.push(armed);
    return listed(armed);
  }

  list(): ListedFault[] {
    return this.#armed.map(listed);
  }

  clear(): void {
    this.#armed = [];
  }

  /** Returns the oldest fault for this request. A matching request draws once per fault until one applies. */
  next(method: string, path: string): Fault | null {
    for (const armed of this.#armed) {
      const { fault } = armed;
      if (armed.method !== null && armed.method !== method) continue;
      if (armed.path !== null && !armed.path.test(path)) continue;
      if (fault.times !== undefined && armed.fired >= fault.times) continue;
      if (fault.probability !== undefined && armed.draw() >= fault.probability) continue;
      armed.fired += 1;
      return fault;
    }
    return null;
  }
}

const listed = (armed: Armed): ListedFault => ({ id: armed.id, ...armed.fault, fired: armed.fired });

/** Small seeded generator of numbers in [0, 1): the same seed gives the same run. */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
