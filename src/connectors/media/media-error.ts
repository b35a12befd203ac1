// The one error of this folder. It says why a file could not be downloaded.

/**
 * - `MEDIA_URL`: the address is not an http(s) URL, or it contains credentials
 * - `MEDIA_HOST`: the host, or a host it redirects to, is not allowed
 * - `MEDIA_ADDRESS`: the host has an address that may not be downloaded from
 * - `MEDIA_REDIRECTS`: too many redirects, or one without a usable target
 * - `MEDIA_STATUS`: the host's status is not 200
 * - `MEDIA_TOO_LARGE`, `MEDIA_EMPTY`, `MEDIA_ENCODED`: the answer is not a file that Sluice can send
 * - `MEDIA_UNREACHABLE`: the host sent no answer, for whatever reason
 * - `MEDIA_TIMEOUT`: the host answered, and the file did not arrive in time
 * - `MEDIA_BUSY`: there is no room for the file at the moment
 * - `UPLOAD_GONE`: the account has no such upload, or its retention is over
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
  | 'MEDIA_BUSY'
  | 'UPLOAD_GONE';

/**
 * Thrown when a file cannot be downloaded. The message contains nothing of the address, which may be personal or a
 * secret.
 */
export class MediaError extends Error {
  override readonly name = 'MediaError';
  readonly code: MediaCode;
  /** Whether the same download may work later. */
  readonly retryable: boolean;
  constructor(code: MediaCode, message: string, retryable = false) {
    super(message);
    this.code = code;
    this.retryable = retryable;
  }
}
