// Accepts files for messages before the event that refers to them. The body is the file; headers give its name and
// type.
import type { RequestHandler } from 'express';
import { contentTypeOf, uploadNameOf } from '../../../../core/media-names.ts';
import { LedgerError } from '../../../../core/sql/database.ts';
import type { NewUpload, StoredUpload } from '../../store/uploads.ts';
import { NotAcceptedError } from '../intake.ts';
import { answerJson, HttpError, type Uploaded } from './answers.ts';
import { createProver, type ProverOptions } from './prove.ts';

/** Stores a file. @throws LedgerError */
export type StoreUpload = (upload: NewUpload) => Promise<StoredUpload>;

/** Appended to the path of a route. */
export const FILES_PATH = '/files';
/** Retry-After while the database is unavailable. */
const RETRY_MS = 1000;
/** A form around the file would be stored as the file. */
const FORMS = /^(?:multipart\/.*|application\/x-www-form-urlencoded)$/;

export interface UploaderOptions extends Omit<ProverOptions<string>, 'typeOf'> {
  readonly account: string;
  /** Which sources of a file's name count: those that the signature covers, or that the route trusts. */
  readonly names: { readonly header: boolean; readonly query: boolean };
  /** Rate limit of the route. */
  readonly limit: RequestHandler;
  readonly store: StoreUpload;
}

/** The steps of `POST {path}/files`, in order: 201 with the id that events use to refer to the file. */
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
    'send the bytes of the file without a form, with its media type as Content-Type, for example application/pdf',
  );
}

function notStored(error: unknown): never {
  if (!(error instanceof LedgerError)) throw error;
  throw new NotAcceptedError('LEDGER', RETRY_MS, error.message, { cause: error });
}
