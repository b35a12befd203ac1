// Automation flows (API text, Endpoints, Flows).
import { z } from 'zod';
import { checkArguments, IdArgument, route, TextArgument } from '../arguments.ts';
import type { Assumptions } from '../assumptions.ts';
import type { ApiResult, Call, CallOptions } from '../call.ts';
import { InvalidArgumentError } from '../errors.ts';
import { placed, valueAt } from '../field-spec.ts';
import { isObject, type JsonObject } from '../json-object.ts';

/** Input of POST /v1/flows/trigger. */
export interface FlowTrigger {
  /** Id from the panel. The API text shows no type. */
  readonly flowId: number | string;
  /** Connection of channel whatsapp or waba. */
  readonly whatsappId: number;
  /**
   * The contact of the flow. The API text does not show which of the two is sent, and under which name: see the
   * assumptions `flows.contactIdentity` and `flows.contactField`. Give both if you know them.
   */
  readonly contact: { readonly id?: number | undefined; readonly number?: string | undefined };
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
}

/** Result of a trigger. The API text does not show the body of the 202. */
export interface TriggeredFlow {
  /** The unchanged answer. */
  readonly raw: JsonObject;
  /**
   * The contact that the answer names: the contact of the call, another one, or none. If it is another one, the flow
   * runs for the wrong person: check `flows.contactField` and `flows.contactIdentity`.
   */
  readonly contact: 'same' | 'other' | 'not shown';
}

/** Compares the values at these places, at the root or one level down, with the expected one. */
function said(raw: JsonObject, paths: ReadonlyArray<readonly string[]>, expected: string | null): boolean[] {
  if (expected === null) return [];
  const roots: unknown[] = [raw, ...Object.values(raw).filter(isObject)];
  return roots.flatMap((root) =>
    paths.flatMap((path) => {
      const value = valueAt(root, path);
      const isWord = typeof value === 'string' || typeof value === 'number';
      return isWord ? [sameIdentity(String(value), expected)] : [];
    }),
  );
}

/** Compares the last eight digits, because a Brazilian number may have the ninth digit or not. */
function sameIdentity(found: string, expected: string): boolean {
  if (found === expected) return true;
  const [a, b] = [found.replace(/\D/g, ''), expected.replace(/\D/g, '')];
  return a.length > 10 && b.length > 10 && a.slice(0, 4) === b.slice(0, 4) && a.slice(-8) === b.slice(-8);
}

const IDENTITY = {
  id: z.object({ contact: z.object({ id: IdArgument }) }),
  number: z.object({ contact: z.object({ number: TextArgument }) }),
};

export class FlowsResource {
  /** The identity of a contact that `trigger` sends and therefore needs. */
  readonly contactIdentity: 'id' | 'number';
  readonly #call: Call;
  readonly #assumptions: Assumptions;

  constructor(call: Call, assumptions: Assumptions) {
    this.#call = call;
    this.#assumptions = assumptions;
    this.contactIdentity = assumptions['flows.contactIdentity'];
  }

  /**
   * Starts an active, published flow on a conversation of the contact. The service answers 202 before the flow has
   * run. POST /v1/flows/trigger, scope flows:trigger. Not idempotent, and its effect cannot be read back: see
   * `isAmbiguous`. An unknown connection is a 404; the API text does not show its code.
   */
  async trigger(input: FlowTrigger, options?: CallOptions): Promise<ApiResult<TriggeredFlow>> {
    const { contact, flowId, ...rest } = input;
    const isText = this.#assumptions['flows.flowIdType'] === 'text';
    const flow = isText ? String(flowId) : /^\d{1,15}$/.test(String(flowId)) ? Number(flowId) : flowId;
    return this.#call(
      {
        method: 'POST',
        route: route('/v1/flows/trigger'),
        body: {
          ...rest,
          flowId: flow,
          ...placed([[this.#assumptions['flows.contactField'], this.#identityOf(contact)]]),
        },
        allowEmpty: true,
        inputs: ['flows.contactField', 'flows.contactIdentity', 'flows.flowIdType'],
        read: (raw) => ({ raw, contact: this.#named(raw, contact) }),
      },
      options,
    );
  }

  /** Searches for a contact in the usual fields: `contactId`, `contact` and the fields that the call itself filled. */
  #named(raw: JsonObject, { id, number }: FlowTrigger['contact']): TriggeredFlow['contact'] {
    const own = this.#assumptions['flows.contactField'];
    const sent = this.contactIdentity;
    const ids = [['contactId'], ['contact', 'id'], ...(sent === 'id' ? [own] : [])];
    const numbers = [['number'], ['phone'], ['contact', 'number'], ...(sent === 'number' ? [own] : [])];
    const found = new Set([
      ...said(raw, ids, id === undefined ? null : String(id)),
      ...said(raw, numbers, number ?? null),
    ]);
    if (found.has(false)) return 'other';
    return found.has(true) ? 'same' : 'not shown';
  }

  #identityOf(contact: FlowTrigger['contact'] | undefined): unknown {
    const which = this.contactIdentity;
    const value = contact?.[which];
    if (value === undefined) {
      const wayOut = `the assumption flows.contactIdentity sends the contact's ${which}; fill it in`;
      throw new InvalidArgumentError(`contact.${which}`, value, wayOut);
    }
    checkArguments(IDENTITY[which], { contact });
    return value;
  }
}
