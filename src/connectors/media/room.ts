// Bounds the files that a process keeps in memory for messages in progress.
import { MediaError } from './media-error.ts';

/** Maximum size of all files of a message together, in bytes. */
const MAX_MESSAGE_BYTES = 104_857_600;
/** Maximum size of the files of all messages in progress, in bytes: two of the largest messages, or many usual ones. */
const ROOM_BYTES = 2 * MAX_MESSAGE_BYTES;

/** What the files of one message occupy. */
export interface Share {
  /** Call it before bytes are kept. @throws MediaError */
  take(bytes: number): void;
  /** Gives everything back. */
  release(): void;
}

export interface Room {
  open(): Share;
}

export function createRoom(maxBytes: number = ROOM_BYTES, maxMessageBytes: number = MAX_MESSAGE_BYTES): Room {
  let taken = 0;
  return {
    open() {
      let own = 0;
      return {
        take(bytes) {
          if (own + bytes > maxMessageBytes)
            throw new MediaError(
              'MEDIA_TOO_LARGE',
              `the files of the message are longer than ${maxMessageBytes} bytes together`,
            );
          if (taken + bytes > maxBytes)
            throw new MediaError('MEDIA_BUSY', 'other messages with large files are in progress', true);
          own += bytes;
          taken += bytes;
        },
        release() {
          taken -= own;
          own = 0;
        },
      };
    },
  };
}
