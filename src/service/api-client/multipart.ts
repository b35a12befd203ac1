// A multipart/form-data body as a stream. At most one chunk of one file is in memory.
import { randomUUID } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { openRegularFile } from '../../core/files/regular-file.ts';
import { jsonText } from './arguments.ts';
import { InvalidArgumentError } from './errors.ts';
import type { Media } from './schemas/message.ts';

export interface Form {
  /** Sent as text, objects as JSON. Undefined and null are omitted. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly mediaField: string;
  readonly medias: readonly Media[];
}

export interface Upload {
  readonly body: Readable;
  readonly contentType: string;
  /** Null if the size of a stream is unknown. Such a body is sent in chunks. */
  readonly contentLength: number | null;
  /** Closes every file and stream, including unread ones. */
  destroy(): void;
}

/** Thrown when a media file cannot be read to its end, or its length differs from its size. */
export class UploadError extends Error {
  override readonly name = 'UploadError';
  /** Code of the underlying error, if it has one. */
  readonly code: string | undefined;
  constructor(code: unknown) {
    super('a media could not be sent whole');
    this.code = typeof code === 'string' ? code : undefined;
  }
}

interface Source {
  readonly size: number | null;
  readonly chunks: () => AsyncIterable<unknown> | Iterable<unknown>;
  readonly destroy: () => void;
}

interface Part extends Source {
  readonly head: Buffer;
}

const CRLF = '\r\n';
const CONTENT_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(; ?[\w!#$&^.+-]+=("[^"\\\r\n]*"|[\w!#$&^.+-]+))*$/;

/**
 * Opens the files of the form. It reads them only when the body is read.
 *
 * @throws InvalidArgumentError with the media file; every opened file is closed
 */
export async function openUpload(form: Form): Promise<Upload> {
  const boundary = `sluice-${randomUUID()}`;
  const texts = Object.entries(form.fields).flatMap(([name, value]) =>
    value === undefined || value === null ? [] : [textPart(boundary, name, value)],
  );
  for (const [index, media] of form.medias.entries()) checkMedia(media, index);
  const parts: Part[] = [];
  const destroyParts = () => {
    for (const part of parts) part.destroy();
  };
  try {
    for (const [index, media] of form.medias.entries()) {
      parts.push({ ...(await openSource(media, index)), head: mediaHead(boundary, form.mediaField, media) });
    }
  } catch (error) {
    destroyParts();
    throw error;
  }
  const end = Buffer.from(`--${boundary}--${CRLF}`);
  const body = Readable.from(encode(texts, parts, end), { objectMode: false });
  return {
    body,
    contentType: `multipart/form-data; boundary=${boundary}`,
    contentLength: totalLength(texts, parts, end),
    destroy() {
      // The order matters: a body that waits for a stalled source ends only with that source.
      body.destroy();
      destroyParts();
    },
  };
}

/** Names are quoted as browsers do it (HTML standard, multipart/form-data encoding). */
function quoted(name: string): string {
  return name.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22');
}

function textPart(boundary: string, name: string, value: unknown): Buffer {
  const text = typeof value === 'string' ? value : jsonText(name, value);
  const head = `--${boundary}${CRLF}content-disposition: form-data; name="${quoted(name)}"${CRLF}${CRLF}`;
  return Buffer.from(`${head}${text}${CRLF}`);
}

function mediaHead(boundary: string, field: string, media: Media): Buffer {
  const name = `name="${quoted(field)}"; filename="${quoted(media.filename)}"`;
  return Buffer.from(
    `--${boundary}${CRLF}content-disposition: form-data; ${name}${CRLF}` +
      `content-type: ${media.contentType}${CRLF}${CRLF}`,
  );
}

function totalLength(texts: readonly Buffer[], parts: readonly Part[], end: Buffer): number | null {
  let total = end.length;
  for (const text of texts) total += text.length;
  for (const { head, size } of parts) {
    if (size === null) return null;
    total += head.length + size + CRLF.length;
  }
  return total;
}

async function* encode(texts: readonly Buffer[], parts: readonly Part[], end: Buffer) {
  yield* texts;
  for (const part of parts) {
    yield part.head;
    yield* exactly(part);
    yield Buffer.from(CRLF);
  }
  yield end;
}

/** If the length differed from the announced one, the service would wait for more or read two requests. */
async function* exactly({ size, chunks }: Source): AsyncGenerator<Uint8Array> {
  let sent = 0;
  try {
    for await (const chunk of chunks()) {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      if (!(bytes instanceof Uint8Array)) throw new UploadError('NOT_BYTES');
      sent += bytes.length;
      if (size !== null && sent > size) throw new UploadError('SIZE_EXCEEDED');
      yield bytes;
    }
  } catch (error) {
    throw error instanceof UploadError ? error : new UploadError((error as { code?: unknown } | null)?.code);
  }
  if (size !== null && sent < size) throw new UploadError('SIZE_NOT_REACHED');
}

function checkMedia(media: Media, index: number): void {
  const at = `medias.${index}`;
  if (typeof media.filename !== 'string' || media.filename === '') {
    throw new InvalidArgumentError(`${at}.filename`, media.filename, 'send a name that is not empty');
  }
  if (typeof media.contentType !== 'string' || !CONTENT_TYPE.test(media.contentType)) {
    throw new InvalidArgumentError(
      `${at}.contentType`,
      media.contentType,
      'send a media type such as image/png',
    );
  }
  const { size } = media;
  if (size !== undefined && !(Number.isSafeInteger(size) && size >= 0)) {
    throw new InvalidArgumentError(`${at}.size`, size, 'send the number of bytes, or leave it out');
  }
}

async function openSource(media: Media, index: number): Promise<Source> {
  const { data, size } = media;
  if (data instanceof Readable) return streamSource(data, size ?? null, index);
  const source = await knownSource(data, index);
  if (size !== undefined && size !== source.size) {
    source.destroy();
    throw new InvalidArgumentError(`medias.${index}.size`, size, `the data has ${source.size} bytes`);
  }
  return source;
}

function streamSource(data: Readable, size: number | null, index: number): Source {
  if (data.destroyed || data.readableDidRead) {
    throw new InvalidArgumentError(`medias.${index}.data`, {}, 'send a stream that nobody has read from');
  }
  // The stream may fail before it is read. The error then stays in the stream and must not end the process.
  data.on('error', () => {});
  return { size, chunks: () => data, destroy: () => void data.destroy() };
}

async function knownSource(data: Exclude<Media['data'], Readable>, index: number): Promise<Source> {
  if (data instanceof Uint8Array) return { size: data.length, chunks: () => [data], destroy() {} };
  if (data instanceof Blob) return { size: data.size, chunks: () => data.stream(), destroy() {} };
  if (typeof data?.path === 'string') return fileSource(data.path, `medias.${index}.data.path`);
  const wayOut = 'send a Readable, a Blob, a Uint8Array or {path}';
  throw new InvalidArgumentError(`medias.${index}.data`, data, wayOut);
}

async function fileSource(path: string, field: string): Promise<Source> {
  let handle: FileHandle;
  try {
    handle = await openRegularFile(path);
  } catch (error) {
    const { code } = error as { code?: unknown };
    throw new InvalidArgumentError(field, path, `send the path of a file that can be read (${String(code)})`);
  }
  const { size } = await handle.stat();
  const stream = handle.createReadStream({ autoClose: true });
  stream.on('error', () => {});
  return { size, chunks: () => stream, destroy: () => void stream.destroy() };
}
