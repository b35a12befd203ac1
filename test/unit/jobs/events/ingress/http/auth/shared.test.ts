import { describe, expect, it } from 'vitest';
import { SecretError } from '../../../../../../../src/jobs/events/ingress/http/auth/claim.ts';
import { loopbackOnly } from '../../../../../../../src/jobs/events/ingress/http/auth/loopback.ts';
import { token } from '../../../../../../../src/jobs/events/ingress/http/auth/token.ts';
import { claim } from './claim.ts';

describe('a shared token', () => {
  const inAuthorization = token({ header: 'Authorization', secrets: ['s3cret', 'old'] });
  const inOther = token({ header: 'X-Service-Token', secrets: ['s3cret'] });

  it.each([
    ['Bearer s3cret', true],
    ['bearer s3cret', true],
    ['Bearer   s3cret', true],
    ['Bearer old', true],
    ['s3cret', false],
    ['Basic s3cret', false],
    ['Bearer', false],
    ['Bearer ', false],
    ['Bearer s3cre', false],
    ['Bearer s3cret2', false],
    ['Bearer s3cret old', false],
    ['Bearer s3cret,old', false],
    ['Bearer S3CRET', false],
    ['Bearers3cret', false],
  ])('Authorization: %s', (value, taken) => {
    expect(inAuthorization.plausible(claim({ authorization: value }))).toBe(taken);
  });

  it('has no prefix in any other header', () => {
    expect(inOther.plausible(claim({ 'X-Service-Token': 's3cret' }))).toBe(true);
    expect(inOther.plausible(claim({ 'X-Service-Token': 'Bearer s3cret' }))).toBe(false);
    expect(inOther.plausible(claim({ authorization: 'Bearer s3cret' }))).toBe(false);
  });

  it('distinguishes characters that share their last byte', () => {
    const polish = token({ header: 'X-Token', secrets: ['ł'] });
    expect(polish.plausible(claim({ 'X-Token': 'B' }))).toBe(false);
  });

  it('does not start with an empty token', () => {
    expect(() => token({ header: 'X-Token', secrets: ['a', ''] })).toThrow(SecretError);
  });
});

describe('no proof', () => {
  const { plausible } = loopbackOnly();

  it.each([
    ['127.0.0.1', true],
    ['127.8.8.8', true],
    ['::1', true],
    ['::ffff:127.0.0.1', true],
    ['10.0.0.1', false],
    ['192.168.0.7', false],
    ['::ffff:10.0.0.1', false],
    ['fe80::1', false],
    ['128.0.0.1', false],
    ['localhost', false],
    [undefined, false],
  ])('is enough from %s: %s', (peer, taken) => {
    expect(plausible(claim({ host: '127.0.0.1:4020' }, { peer }))).toBe(taken);
  });

  it.each(['Forwarded', 'X-Forwarded-For', 'X-Forwarded-Host', 'X-Forwarded-Proto', 'X-Real-IP', 'Via'])(
    'is not enough behind a proxy, which says %s, even with nothing in it',
    (name) => {
      expect(plausible(claim({ host: 'localhost', [name]: '' }))).toBe(false);
    },
  );

  it.each([
    ['localhost', true],
    ['LOCALHOST:4020', true],
    ['127.0.0.1:4020', true],
    ['[::1]:4020', true],
    ['evil.example.com', false],
    ['localhost.evil.example.com', false],
    ['127.0.0.1.evil.example.com:4020', false],
    ['', false],
  ])('is enough for the host %s: %s', (host, taken) => {
    expect(plausible(claim({ host }))).toBe(taken);
  });
});
