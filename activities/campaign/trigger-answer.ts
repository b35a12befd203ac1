// What the answer to a trigger says of its target. The API text does not show its body: what it names is compared, and what
// it does not name proves nothing.

import { isObject, type JsonObject } from '../../src/api-client/json-object.ts';
import type { FlowTrigger } from '../../src/api-client/resources/flows.ts';
import { canonicalKey } from '../../src/mapping/phone/canonical.ts';

type Sent = Pick<FlowTrigger, 'flowId' | 'whatsappId' | 'contact'>;

/** What the answer names that is not what was sent; null: nothing. No value of the answer is in it. */
export function contradiction(answer: JsonObject, sent: Sent): string | null {
  const { id, number } = sent.contact;
  for (const record of recordsOf(answer)) {
    if (differs(idOf(record['flowId']), sent.flowId)) return 'another flow';
    if (differs(idOf(record['whatsappId']), sent.whatsappId)) return 'another connection';
    const contact = contactOf(record);
    if (
      differs(contact.id, id) ||
      differs(contact.key, number === undefined ? undefined : canonicalKey(number))
    )
      return 'another contact';
  }
  return null;
}

/** The answer names the contact that was sent. */
export function namesContact(answer: JsonObject, { contact: { id, number } }: Sent): boolean {
  return recordsOf(answer).some((record) => {
    const found = contactOf(record);
    const sameId = found.id !== undefined && found.id === id;
    return sameId || (found.key !== undefined && number !== undefined && found.key === canonicalKey(number));
  });
}

/** The answer, and what it wraps. */
function recordsOf(answer: JsonObject): JsonObject[] {
  return [
    answer,
    ...Object.entries(answer).flatMap(([name, value]) =>
      name !== 'contact' && isObject(value) ? [value] : [],
    ),
  ];
}

interface Named {
  readonly id: number | undefined;
  readonly key: string | undefined;
}

function contactOf(record: JsonObject): Named {
  const { contact } = record;
  const nested: JsonObject = isObject(contact) ? contact : {};
  return {
    id: idOf(record['contactId']) ?? idOf(nested['id']),
    key: keyOf(nested['number']) ?? keyOf(record['contactNumber']),
  };
}

const idOf = (value: unknown): number | undefined =>
  typeof value === 'string' && /^[1-9]\d{0,14}$/.test(value)
    ? Number(value)
    : typeof value === 'number'
      ? value
      : undefined;

const keyOf = (value: unknown): string | undefined =>
  typeof value === 'string' && /^\+?\d{8,15}$/.test(value) ? canonicalKey(value.replace('+', '')) : undefined;

const differs = <T>(named: T | undefined, sent: T | undefined): boolean =>
  named !== undefined && sent !== undefined && named !== sent;
