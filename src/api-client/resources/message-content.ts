// How content travels: as JSON, or with medias as multipart (API text, What the service does).
import type { AssumptionKey, Assumptions } from '../assumptions.ts';
import type { Form } from '../multipart.ts';
import type { MessageContent } from '../schemas/message.ts';

/**
 * Body of a call that sends content. The layout of the multipart form is not shown: every media stands
 * under one field name, the other fields are text, and `templateData` is JSON text, which the API text
 * allows everywhere.
 */
export function contentSpec(input: MessageContent, assumed: Assumptions): { body: object } | { form: Form } {
  const { medias, ...fields } = input;
  if (medias === undefined || medias.length === 0) return { body: fields };
  return { form: { fields: { ...fields }, mediaField: assumed['multipart.mediaField'], medias } };
}

/** Inputs of such a call whose names are assumptions. */
export function mediaInputs({ medias = [] }: MessageContent): readonly AssumptionKey[] {
  return medias.length === 0 ? [] : ['multipart.mediaField'];
}
