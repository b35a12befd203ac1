// Files for messages, sent before the event that names them: the body is the file, headers say its name and type.
import type { RequestHandler } from 'express';
import { contentTypeOf, uploadNameOf } from '../../contracts/media-names.ts';
import { LedgerError } from '../../ledger/database.ts';
import type { NewUpload, StoredUpload } from '../../ledger/events/uploads.ts';
import { NotAcceptedError } from '../intake.ts';
import { answerJson, HttpError, type Uploaded } from './answers.ts';
import { createProver, type ProverOptions } from './prove.ts';

/** Keeps a file. @throws LedgerError */
export type StoreUpload = (upload: NewUpload) => Promise<StoredUpload>;

/** Behind the path of a route. */
export const FILES_PATH = '/files';
/** When it is worth a try again while the database is away. */
const RETRY_MS = 1000;
/** A form around the file would be kept as the file. */
const FORMS = /^(?:multipart\/.*|application\/x-www-form-urlencoded)$/;

export interface UploaderOptions extends Omit<ProverOptions<string>, 'typeOf'> {
  readonly account: string;
  /** Which places of a file's name count: those that the proof of the sender covers, or that the route trusts. */
  readonly names: { readonly header: boolean; readonly query: boolean };
  /** The rate of the route. */
  readonly limit: RequestHandler;
  readonly store: StoreUpload;
}

/** The steps of `POST {path}/files`, in their order: 201 with the id that an event names the file by. */
export function createUploader(options: UploaderOptions): RequestHandler[] {
  const { account, names, limit, store } = options;
  const prover = createProver({ ...options, typeOf: fileType });
  const take: RequestHandler = async (req, res) => {
    const { body, type } = prover.found(res);
    if (body.length === 0) throw new HttpError(400, 'EMPTY', 'the file is empty; send its bytes as the body');
    const { searchParams } = new URL(req.url, 'http://localhost');
    const filename = uploadNameOf(
      names.header ? req.headers['content-disposition'] : undefined,
      names.query ? (searchParams.get('filename') ?? '') : '',
      type,
    );
    const { id, size, expiresAt } = await store({ account, filename, contentType: type, data: body }).catch(
      notStored,
    );
    const answer: Uploaded = { upload: id, bytes: size, type, filename, expiresAt: expiresAt.toISOString() };
    answerJson(res, 201, answer);
  };
  return [prover.handler, limit, take];
}

function fileType(header: string | undefined): string {
  const type = contentTypeOf(header);
  if (header?.split(';')[0]?.trim().toLowerCase() === type && !FORMS.test(type)) return type;
  throw new HttpError(
    415,
    'MEDIA_TYPE',
    'send the bytes of the file as they are, not in a form, and its media type as Content-Type, for example application/pdf',
  );
}

function notStored(error: unknown): never {
  if (!(error instanceof LedgerError)) throw error;
  throw new NotAcceptedError('LEDGER', RETRY_MS, error.message, { cause: error });
}
