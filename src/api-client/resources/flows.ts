// Automation flows (API text, Endpoints, Flows).
import { z } from 'zod';
import { checkArguments, IdArgument, route, TextArgument } from '../arguments.ts';
import type { Assumptions } from '../assumptions.ts';
import type { ApiResult, Call, CallOptions } from '../call.ts';
import { InvalidArgumentError } from '../errors.ts';
import type { JsonObject } from '../shapes.ts';

/** What POST /v1/flows/trigger takes. */
export interface FlowTrigger {
  readonly flowId: number;
  /** Connection: of channel whatsapp or waba. */
  readonly whatsappId: number;
  /**
   * Whom the flow is for. Which of the two goes out, and under which name, is not shown: see the
   * assumptions `flows.contactIdentity` and `flows.contactField`. Fill in both where you know them.
   */
  readonly contact: { readonly id?: number | undefined; readonly number?: string | undefined };
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
}

/** The body of the 202 is not shown by the API text. */
export interface TriggeredFlow {
  /** The answer as it came. */
  readonly raw: JsonObject;
}

const IDENTITY = {
  id: z.object({ contact: z.object({ id: IdArgument }) }),
  number: z.object({ contact: z.object({ number: TextArgument }) }),
};

export class FlowsResource {
  /** Which of a contact's two identities `trigger` sends, and so needs. */
  readonly contactIdentity: 'id' | 'number';
  readonly #call: Call;
  readonly #assumptions: Assumptions;

  constructor(call: Call, assumptions: Assumptions) {
    this.#call = call;
    this.#assumptions = assumptions;
    this.contactIdentity = assumptions['flows.contactIdentity'];
  }

  /**
   * Starts an active, published flow on a conversation of the contact; accepted (202) before it has
   * run. POST /v1/flows/trigger, scope flows:trigger. Not idempotent, and nothing can be read back: see
   * `isAmbiguous`. A connection that does not exist is a 404 whose code is not shown.
   */
  async trigger(input: FlowTrigger, options?: CallOptions): Promise<ApiResult<TriggeredFlow>> {
    const { contact, ...rest } = input;
    return this.#call(
      {
        method: 'POST',
        route: route('/v1/flows/trigger'),
        body: { ...rest, [this.#assumptions['flows.contactField']]: this.#identityOf(contact) },
        allowEmpty: true,
        read: (raw) => ({ raw }),
      },
      options,
    );
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
