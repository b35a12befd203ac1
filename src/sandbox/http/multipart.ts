// Reads a multipart body: text fields unchanged; files are counted and hashed as they stream, never stored.
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import busboy from 'busboy';
import type { Request } from 'express';
import type { Choices } from '../choices.ts';
import type { Media } from '../state/model.ts';
import { Problem } from './errors.ts';

export interface Form {
  /** The last value of each field. */
  readonly fields: Readonly<Record<string, string>>;
  /** The files of the medias field, in the order of the body. */
  readonly files: readonly Media[];
}

const MAX_FIELDS = 100;

export const isMultipart = (req: Request) =>
  /^multipart\/form-data\b/i.test(req.headers['content-type'] ?? '');

/**
 * Reads to the end even for a refused body, so that the connection stays usable for the next request.
 * @throws Problem ERR_INVALID_MULTIPART, ERR_BODY_TOO_LARGE
 */
export async function readMultipart(req: Request, choices: Choices): Promise<Form> {
  const parser = openParser(req, choices);
  const fields = new Map<string, string>();
  const files: (() => Media)[] = [];
  // Only recorded here: the parser must not be destroyed while it emits a part.
  let isTooLarge = false;
  const tooLarge = () => {
    isTooLarge = true;
  };
  parser.on('field', (name, value, { valueTruncated }) => {
    if (valueTruncated) tooLarge();
    fields.set(name, value);
  });
  parser.on('file', (name, file, { filename, mimeType }) => {
    file.on('limit', tooLarge);
    // Contrary to the types, a part without a file name has undefined here.
    const measured = measure(file, (filename as string | undefined) ?? '', mimeType);
    if (name === choices.mediasField) files.push(measured);
  });
  for (const limit of ['fieldsLimit', 'filesLimit', 'partsLimit'] as const) parser.on(limit, tooLarge);
  await new Promise<void>((resolve, reject) => {
    const refuse = () => reject(new Problem('ERR_INVALID_MULTIPART'));
    parser.on('close', resolve);
    parser.on('error', () => {
      req.unpipe(parser);
      if (req.readableEnded) return refuse();
      req.once('end', refuse);
      req.resume();
    });
    // The client disconnected. Nobody waits for the answer, but the request log must have its row.
    req.once('close', () => {
      if (req.readableEnded) return;
      refuse();
      parser.destroy();
    });
    req.pipe(parser);
  });
  if (isTooLarge) throw new Problem('ERR_BODY_TOO_LARGE');
  return { fields: Object.fromEntries(fields), files: files.map((media) => media()) };
}

/** The parser treats a part that reaches the limit as too long, so the limit is one byte higher. */
function openParser(req: Request, choices: Choices) {
  const { files, bytes } = choices.mediaLimit;
  const limits = { fields: MAX_FIELDS, fieldSize: choices.bodyLimit + 1, files, fileSize: bytes + 1 };
  try {
    return busboy({ headers: req.headers, defParamCharset: 'utf8', limits });
  } catch (error) {
    // Only a content type without a boundary is refused this early.
    if (error instanceof Error) throw new Problem('ERR_INVALID_MULTIPART');
    throw error;
  }
}

/** Streams the file without keeping it. The returned function describes it after the whole form is read. */
function measure(file: Readable, name: string, type: string): () => Media {
  const digest = createHash('sha256');
  let size = 0;
  file.on('data', (chunk: Buffer) => {
    digest.update(chunk);
    size += chunk.length;
  });
  // A truncated file fails the form as well, which reports it.
  file.on('error', () => file.resume());
  return () => ({ name, type, size, sha256: digest.digest('hex') });
}
