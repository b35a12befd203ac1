// Operations of flows and of the inbound webhook receiver (API text, "Flows", "Inbound webhook receiver").
import { z } from 'zod';
import type { Choices } from '../choices.ts';
import { triggerBody } from './inputs.ts';
import type { Operation } from './operation.ts';
import { flowStarted } from './wire.ts';

export const triggerFlow = (choices: Choices): Operation => ({
  id: 'triggerFlow',
  group: 'Flows',
  summary: 'Start a flow for a contact',
  description: 'An active, published flow with nodes. Not idempotent, and a run cannot be read back.',
  body: triggerBody(choices),
  answers: { 202: { description: 'The run was started.', body: flowStarted } },
  errors: [
    'ERR_FLOW_ID_AND_WHATSAPP_ID_REQUIRED',
    'ERR_VARIABLES_MUST_BE_OBJECT',
    'ERR_FLOW_NOT_FOUND',
    'ERR_FLOW_NOT_EXECUTABLE',
    choices.flowConnectionCode,
    { code: 'ERR_UNSUPPORTED_CHANNEL', status: 422 },
    'ERR_CONTACT_IDENTIFIER_REQUIRED',
    'ERR_NO_CONTACT_FOUND',
    'ERR_NUMBER_INVALID',
    'ERR_INVALID_BODY',
    'ERR_TICKET_IN_HUMAN_SERVICE',
  ],
});

export const receiveWebhook = (): Operation => ({
  id: 'receiveWebhook',
  group: 'Webhooks',
  summary: 'Take a call of an external system',
  description:
    'Answered at once, processed after that; the panel shows the outcome. A repeat with the same idempotency key within an hour is not processed again. The key, first found: Idempotency-Key, X-Idempotency-Key, then idempotency_key, event_id, eventId of the body.',
  path: z.object({
    hash: z
      .string()
      .regex(/^[A-Za-z0-9_.~-]+$/)
      .meta({ description: 'The hash that the panel gave out.', examples: ['h1'] }),
  }),
  headers: z.object({
    'Idempotency-Key': z.string().optional(),
    'X-Idempotency-Key': z.string().optional(),
    'X-Service-Token': z.string().optional().meta({ description: 'Needed when the webhook has a token.' }),
  }),
  body: z.unknown().meta({
    description: 'Any JSON; the field mapping of the webhook finds its way in it.',
    examples: [{ lead: { phone: '5511987654321' } }],
  }),
  answers: {
    202: {
      description: 'Taken in.',
      body: {
        received: z.literal(true),
        duplicate: z.literal(true).optional().meta({ description: 'Present only on a repeat.' }),
      },
    },
  },
  errors: ['ERR_WEBHOOK_NOT_FOUND', 'ERR_WEBHOOK_TOKEN_INVALID'],
});
