// The one error of this folder: why a file could not be had.

/**
 * - `MEDIA_URL`: the address is none of a file on the web, or holds credentials
 * - `MEDIA_HOST`: its host, or one it redirects to, is not among those allowed
 * - `MEDIA_ADDRESS`: the host's name leads inside the own network, or to no usable address
 * - `MEDIA_REDIRECTS`: redirected too often, or to nowhere
 * - `MEDIA_STATUS`: the host answers with something else than 200
 * - `MEDIA_TOO_LARGE`, `MEDIA_EMPTY`, `MEDIA_ENCODED`: what comes is no file to send
 * - `MEDIA_TIMEOUT`, `MEDIA_UNREACHABLE`: nothing, or only a part, came
 * - `UPLOAD_GONE`: no such file was uploaded for the account, or its days are over
 */
export type MediaCode =
  | 'MEDIA_URL'
  | 'MEDIA_HOST'
  | 'MEDIA_ADDRESS'
  | 'MEDIA_REDIRECTS'
  | 'MEDIA_STATUS'
  | 'MEDIA_TOO_LARGE'
  | 'MEDIA_EMPTY'
  | 'MEDIA_ENCODED'
  | 'MEDIA_TIMEOUT'
  | 'MEDIA_UNREACHABLE'
  | 'UPLOAD_GONE';

/** Thrown when a file can't be had. The message holds nothing of its address, which may be personal or a secret. */
export class MediaError extends Error {
  override readonly name = 'MediaError';
  readonly code: MediaCode;
  /** The same download may work later. */
  readonly retryable: boolean;
  constructor(code: MediaCode, message: string, retryable = false) {
    super(message);
    this.code = code;
    this.retryable = retryable;
  }
}
