// Files that a message sends from earlier uploads. The event names them by their ids.
import type { MessageAction } from '../../contracts/config/config.ts';
import { ValueError } from '../errors.ts';
import type { ExpressionCompiler } from '../expression/expression.ts';
import { type Part, partOf } from '../parts.ts';
import { toTexts } from '../values.ts';
import { MAX_FILES, tooManyFiles } from './action-media.ts';

type UploadsConfig = NonNullable<MessageAction['uploads']>;

/** The format of an upload id. Whether the file exists shows when the message is sent. */
const ID = /^[\w-]{1,100}$/;

/** Undefined if the event names no file. A repeated id counts once. */
export function compileUploads(
  config: UploadsConfig,
  compiler: ExpressionCompiler,
): Part<string[] | undefined> {
  const ids = partOf(compiler, config.ids, ['uploads', 'ids'], (value) => {
    const found = [...new Set(toTexts(value, undefined))];
    const odd = found.find((id) => !ID.test(id));
    if (odd !== undefined)
      throw new ValueError(
        'invalid_upload',
        'this is not an upload id; send the id that the upload returned',
        odd,
      );
    if (found.length > MAX_FILES) throw tooManyFiles();
    return found;
  });
  return (row, report) => {
    const found = ids(row, report) ?? [];
    return found.length === 0 ? undefined : found;
  };
}
