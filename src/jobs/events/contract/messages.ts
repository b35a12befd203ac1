// Endpoints with which operators send messages. Sluice accepts them as events of a built-in route.
import { z } from 'zod';
import { endpoint, Name } from '../../../core/endpoint.ts';
import { MessageRequest } from './intake.ts';

/** Maximum size of a file, in bytes: the maximum that the configuration allows for uploads. */
export const MAX_FILE_BYTES = 67_108_864;

/** Maximum number of URLs of a message. */
const MAX_URLS = 10;

/** A message as an operator asks for it. Of files it names the URLs; the configuration decides about the rest. */
export const OperatorMessage = z.strictObject({
  // Strict: an older process must refuse an unknown field, not ignore it.
  ...MessageRequest.shape,
  media: z
    .strictObject({
      urls: z
        .array(z.url({ protocol: /^https?$/ }).max(4096))
        .min(1)
        .max(MAX_URLS),
    })
    .optional(),
});
export type OperatorMessage = z.infer<typeof OperatorMessage>;

export const MESSAGES = {
  'POST /messages': endpoint({
    role: 'operator',
    summary:
      'Send a message to a number, or reply in a conversation. Messages with the same key are sent once. A message to a person who opted out needs `toOptedOut`.',
    input: z.strictObject({
      account: Name,
      /** Without a key, each message is new. */
      key: z.string().trim().min(1).max(255).optional(),
      request: OperatorMessage,
      /** Sends it to a person who opted out, too: it is transactional, or answers what the person wrote. */
      toOptedOut: z.boolean().optional(),
    }),
    audit: ['account', 'key', 'toOptedOut'],
    output: z.object({
      /** Id of the event. It shows what became of the message. */
      event: z.string(),
      /** Sluice accepted this key before and sends nothing more. */
      duplicate: z.boolean(),
    }),
  }),
  'POST /messages/files': endpoint({
    role: 'operator',
    summary: 'Store a file for some days, so that a message can attach it by the id in `uploads`.',
    input: z.strictObject({
      account: Name,
      /** As the receiver sees it, without path separators. */
      name: z.string().min(1).max(255),
      /** Media type, for example `image/png`. */
      type: z.string().min(1).max(255),
      data: z.custom<Uint8Array>(
        (value) => value instanceof Uint8Array && value.length > 0,
        'the body is empty, or not application/octet-stream',
      ),
    }),
    bytes: { field: 'data', max: MAX_FILE_BYTES },
    audit: ['account', 'type'],
    output: z.object({ upload: z.string() }),
  }),
} as const;
