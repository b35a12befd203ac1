import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { EncryptionKeyError, readEncryptionKey } from '../../../../src/core/encryption/payload-keys.ts';
import { openCodec } from '../../../../src/protect/codec/index.ts';

const KEY = Buffer.from('f1e2d3c4b5a697887766554433221100ffeeddccbbaa99887766554433221107', 'hex');

describe('a key', () => {
  it.each([
    ['base64', KEY.toString('base64')],
    ['base64 without padding', KEY.toString('base64').replace('=', '')],
    ['base64url', KEY.toString('base64url')],
    ['hex', KEY.toString('hex')],
    ['hex in capitals', KEY.toString('hex').toUpperCase()],
    ['base64 with spaces around', ` ${KEY.toString('base64')} `],
  ])('is read from %s', (_, text) => {
    expect(readEncryptionKey('a', text).secret.export()).toEqual(KEY);
  });

  it.each([
    ['a password', 'correct horse battery staple', 'is neither base64 nor hex'],
    ['nothing', '', 'is neither base64 nor hex'],
    ['16 bytes', KEY.subarray(16).toString('base64'), 'has 16 bytes'],
    ['64 bytes', randomBytes(64).toString('base64'), 'has 64 bytes'],
    ['33 bytes in hex', `${KEY.toString('hex')}00`, 'has 49 bytes'],
    ['zeros', Buffer.alloc(32).toString('base64'), 'is not random'],
    ['a word again and again', Buffer.from('changeme'.repeat(4)).toString('base64'), 'is not random'],
  ])('is refused: %s; the message has the way out and not the key', (_, text, problem) => {
    const error = (() => {
      try {
        readEncryptionKey('2026-11', text);
      } catch (thrown) {
        return thrown as Error;
      }
      throw new Error('it was not refused');
    })();
    expect(error).toBeInstanceOf(EncryptionKeyError);
    expect(error.message).toContain(`"2026-11" ${problem}`);
    expect(error.message).toContain('openssl rand -base64 32');
    if (text !== '') expect(error.message).not.toContain(text);
  });

  it('that is missing keeps the codec from opening; none of them is off', async () => {
    const secret = async (ref: string) => {
      if (ref === 'env:KEY') return KEY.toString('base64');
      throw new Error(`${ref} is not set`);
    };
    const keys = [
      { id: 'a', key: 'env:KEY' },
      { id: 'b', key: 'env:MISSING' },
    ];
    await expect(openCodec({ keys, secret })).rejects.toThrow('env:MISSING is not set');
    expect(await openCodec({ keys: [], secret })).toBeNull();
  });
});
