// Endpoints of the codec server: Temporal's web UI and command line decrypt payloads with them.
import { z } from 'zod';
import { endpoint } from '../../core/endpoint.ts';

/** Temporal refuses a payload over 2 MB. Base64 makes it a third longer, and an event may have several. */
const JSON_BYTES = 8 * 1024 * 1024;
/** Nobody pages through more events at once. */
const MAX_PAYLOADS = 1000;

const Base64 = z.string().regex(/^[A-Za-z0-9+/_-]*={0,2}$/, 'must be base64');
/** A payload of Temporal in the JSON form of protobuf. Metadata values and data are base64. */
const PayloadJson = z.object({
  metadata: z.record(z.string().max(200), Base64).default({}),
  data: Base64.default(''),
});
const Payloads = z.object({ payloads: z.array(PayloadJson).max(MAX_PAYLOADS) });

export const CODEC = {
  'POST /codec/decode': endpoint({
    role: 'operator',
    summary:
      'Decrypt payloads of Temporal, for its web UI and its command line. The content is personal data.',
    input: Payloads,
    output: Payloads,
    jsonBytes: JSON_BYTES,
    // The page of a workflow sends dozens.
    auditMinutes: 10,
  }),
  'POST /codec/encode': endpoint({
    role: 'admin',
    summary: "Encrypt payloads for Temporal. They can be sent to workflows past Sluice's own commands.",
    input: Payloads,
    output: Payloads,
    jsonBytes: JSON_BYTES,
  }),
} as const;
