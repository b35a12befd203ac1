import { describe, expect, it } from 'vitest';
import { describeError } from '../../../../src/cli/lib/describe-error.ts';
import { CliError } from '../../../../src/cli/lib/exit.ts';
import {
  ConfigError,
  ConfigFileError,
  SecretError,
  UnknownNameError,
} from '../../../../src/core/config/errors.ts';
import { FolderLockedError } from '../../../../src/core/lock/folder-lock.ts';
import { FolderPathError } from '../../../../src/core/lock/make-folder.ts';
import { SourceError } from '../../../../src/core/source.ts';
import { LedgerError } from '../../../../src/core/sql/database.ts';

const FORGED = 'a\nsluice: all is well\u001b[2J\u2028b\u202e';
const problem = { file: FORGED, line: 1, column: 1, path: '', message: FORGED, hint: FORGED };
const owner = { pid: 1, start: null, host: 'h', since: '2026-01-01T00:00:00Z', command: FORGED };

describe('an error with a text from outside', () => {
  it.each([
    new UnknownNameError('sync', FORGED, FORGED),
    new ConfigFileError('not_found', FORGED, `there is no file ${FORGED}`),
    new ConfigError([problem]),
    new SecretError(FORGED, FORGED),
    new SourceError('not_found', FORGED),
    new LedgerError(new Error(FORGED)),
    new FolderLockedError(FORGED, owner),
    new FolderPathError(FORGED, 'no', null),
    new Error(FORGED),
  ])('is one line: $name', (error) => {
    expect(describeError(error).message).toMatch(
      /^[^\p{Cc}\p{Cf}\p{Zl}]*\\u000asluice: all is well\\u001b\[2J/u,
    );
  });

  it("keeps the lines of a command's own message", () => {
    expect(describeError(new CliError(5, 'a\nb'))).toEqual({ message: 'a\nb', exitCode: 5 });
  });
});
