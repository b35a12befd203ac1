// Sends content as JSON, or as multipart with medias (API text, What the service does).
import type { AssumptionKey, Assumptions } from '../assumptions.ts';
import type { Form } from '../multipart.ts';
import type { MessageContent } from '../schemas/message.ts';

/**
 * Builds the body of a call that sends content. The API text does not show the layout of the multipart form: all medias
 * have one field name, the other fields are text, and `templateData` is JSON text, which the API text always allows.
 */
export function contentSpec(input: MessageContent, assumed: Assumptions): { body: object } | { form: Form } {
  const { medias, ...fields } = input;
  if (medias === undefined || medias.length === 0) return { body: fields };
  return { form: { fields: { ...fields }, mediaField: assumed['multipart.mediaField'], medias } };
}

/** Returns the inputs of such a call whose names are assumptions. */
export function mediaInputs({ medias = [] }: MessageContent): readonly AssumptionKey[] {
  return medias.length === 0 ? [] : ['multipart.mediaField'];
}
