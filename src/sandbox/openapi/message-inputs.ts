// Inputs of sending: the text, the template and the files of a message, as JSON and as a form.
import { z } from 'zod';
import type { Choices } from '../choices.ts';
import { Id, personName, phone } from './inputs.ts';
import { TemplateData } from './wire.ts';

/** POST /v1/messages/send and a reply: the content, checked after it is known to be present. */
export const ContentFields = z.object({
  body: z
    .string()
    .nullish()
    .meta({ description: 'Text.', examples: ['hi'] }),
});
export const TemplateField = z.object({ templateData: z.object(TemplateData.shape) });

/** Fields of POST /v1/messages/send besides content and connection. */
export const SendFields = z.object({
  number: z.string(),
  contactName: personName
    .nullish()
    .meta({ description: 'Used only if the contact is created by this call.' }),
  whatsappName: z
    .string()
    .nullish()
    .meta({ description: 'Outgoing connection by name.', examples: ['main'] }),
  saveOnTicket: z
    .boolean()
    .nullish()
    .meta({
      description: 'false: fire and forget. Files are ignored, ids may be null, the answer names no ticket.',
      examples: [true],
    }),
});

/** JSON Schema for "at least one of these is sent": null and empty values count as absent. */
const withContent = (files?: string) => ({
  anyOf: Object.entries({
    body: { type: 'string', minLength: 1 },
    templateData: { type: ['object', 'string'], minLength: 1 },
    ...(files === undefined ? {} : { [files]: { type: 'array', minItems: 1 } }),
  }).map(([field, schema]) => ({ type: 'object', required: [field], properties: { [field]: schema } })),
});

const content = {
  ...ContentFields.shape,
  templateData: z
    .union([TemplateData, z.string().meta({ format: 'template-json' })])
    .nullish()
    .meta({
      description:
        'An approved template, or the same as a JSON string. Outside the 24 hours of waba nothing else is delivered.',
    }),
};
const files = (choices: Choices) => ({
  [choices.mediasField]: z
    .array(z.string().meta({ format: 'binary' }))
    .max(choices.mediaLimit.files)
    .optional()
    .meta({
      description: `Up to ${choices.mediaLimit.files} files of ${choices.mediaLimit.bytes >> 20} MiB each.`,
    }),
});
const sendShape = (choices: Choices) => ({
  number: phone(choices),
  ...content,
  whatsappId: Id.nullish().meta({ description: 'Outgoing connection; wins over whatsappName.' }),
  whatsappName: SendFields.shape.whatsappName,
  contactName: SendFields.shape.contactName,
  saveOnTicket: SendFields.shape.saveOnTicket,
});

/** A form has no null: a field is present or absent. */
const withoutNull = (shape: Readonly<Record<string, z.ZodType>>) =>
  Object.fromEntries(
    Object.entries(shape).map(([name, field]) => {
      const inner = field instanceof z.ZodOptional ? field.unwrap() : field;
      return [
        name,
        inner instanceof z.ZodNullable ? z.optional(inner.unwrap()).meta(field.meta() ?? {}) : field,
      ];
    }),
  );

export const sendBody = (choices: Choices) =>
  z.object(sendShape(choices)).meta({
    ...withContent(),
    examples: [{ number: '5511987654321', body: 'hi', whatsappId: 1 }],
  });
export const sendForm = (choices: Choices) =>
  z.object({ ...withoutNull(sendShape(choices)), ...files(choices) }).meta(withContent(choices.mediasField));
export const replyBody = () => z.object(content).meta(withContent());
export const replyForm = (choices: Choices) =>
  z.object({ ...withoutNull(content), ...files(choices) }).meta(withContent(choices.mediasField));
