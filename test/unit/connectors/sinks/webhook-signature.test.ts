// The signature of a sink against the specification's example and against an HMAC made without the library.
import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readKey, signedHeaders } from '../../../../src/connectors/sinks/webhook-signature.ts';

describe('signed headers', () => {
  it('are those of the example in the specification', () => {
    const key = readKey('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'secret');
    const id = 'msg_p5jXN8AQM9LWM0D4loKWxJek';
    expect(signedHeaders([key], id, 1_614_265_330_999, '{"test": 2432232314}')).toEqual({
      'webhook-id': id,
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  it('have one signature a key, whatever the keys, the id and the body are', () => {
    const keys = fc.array(fc.uint8Array({ minLength: 1, maxLength: 200 }), { minLength: 1, maxLength: 3 });
    const text = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(keys, text, fc.integer({ min: 0, max: 4e12 }), text, (secrets, id, now, body) => {
        const headers = signedHeaders(secrets.map(Buffer.from), id, now, body);
        const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
        const expected = secrets.map((key) => {
          const digest = createHmac('sha256', key).update(signed).digest('base64');
          return `v1,${digest}`;
        });
        expect(headers['webhook-signature']).toBe(expected.join(' '));
      }),
    );
  });
});
