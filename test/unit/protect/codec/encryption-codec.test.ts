// Encryption of payloads: whatever goes in comes out, and nothing that was changed on the way comes out at all.
import { randomBytes } from 'node:crypto';
import { ApplicationFailure, defaultPayloadConverter, type Payload } from '@temporalio/common';
import proto from '@temporalio/proto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type EncryptionKey, readEncryptionKey } from '../../../../src/core/encryption/payload-keys.ts';
import {
  createEncryptionCodec,
  ENCRYPTED,
  isEncrypted,
} from '../../../../src/protect/codec/encryption-codec.ts';
import { DamagedPayloadError, UnknownEncryptionKeyError } from '../../../../src/protect/codec/errors.ts';
import { failureConverter } from '../../../../src/protect/codec/failure-converter.ts';
import { jsonOf, payloadOf } from '../../../../src/protect/codec/payload-json.ts';
import { propertyRuns } from '../../../support/runner/property-runs.ts';

const keyOf = (id: string): EncryptionKey => readEncryptionKey(id, randomBytes(32).toString('base64'));
const OLD = keyOf('2026-10');
const NEW = keyOf('2026-11');
const before = createEncryptionCodec([OLD]);
const after = createEncryptionCodec([NEW, OLD]);

const bytes = fc.uint8Array({ maxLength: 300 });
const payloads = fc.record({
  metadata: fc.dictionary(
    fc.string().filter((name) => name !== '__proto__' && name !== 'encryption-key-id'),
    bytes,
    { maxKeys: 5 },
  ),
  data: bytes,
});
/** Equal as messages: the SDK reads buffers where it wrote arrays. */
const wire = (payload: Payload) =>
  Buffer.from(proto.temporal.api.common.v1.Payload.encode(payload).finish()).toString('hex');
const text = (value: Uint8Array | null | undefined) => Buffer.from(value ?? []).toString('utf8');
const encodeOne = async (codec: typeof before, payload: Payload): Promise<Payload> =>
  (await codec.encode([payload]))[0] as Payload;

describe('a payload', () => {
  it('comes back as it was, whatever it contains, also several times encrypted', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(payloads, { maxLength: 4 }), async (originals) => {
        const once = await before.encode(originals);
        expect(once.every(isEncrypted)).toBe(originals.length === once.length);
        expect((await before.decode(once)).map(wire)).toEqual(originals.map(wire));
        const twice = await before.decode(await before.decode(await before.encode(once)));
        expect(twice.map(wire)).toEqual(originals.map(wire));
      }),
      { numRuns: propertyRuns(300) },
    );
  });

  it.each([undefined, null, '', 'Ana 5511987654321', { phone: '5511987654321' }, new Uint8Array([0, 255])])(
    '%j survives with the converter of the SDK',
    async (value) => {
      const [decoded] = await before.decode([
        await encodeOne(before, defaultPayloadConverter.toPayload(value) as Payload),
      ]);
      expect(defaultPayloadConverter.fromPayload(decoded as Payload)).toEqual(value);
    },
  );

  it('shows encoding, key id and size, and neither its content nor its own metadata', async () => {
    const original = defaultPayloadConverter.toPayload({ phone: '5511987654321' }) as Payload;
    const encrypted = await encodeOne(before, original);
    expect(
      Object.fromEntries(Object.entries(encrypted.metadata ?? {}).map(([k, v]) => [k, text(v)])),
    ).toEqual({ encoding: ENCRYPTED, 'encryption-key-id': OLD.id });
    expect(text(encrypted.data)).not.toMatch(/5511987654321|json/);
  });

  it('is never encrypted twice to the same bytes', async () => {
    const original = defaultPayloadConverter.toPayload('same') as Payload;
    const all = await before.encode(Array.from({ length: 100 }, () => original));
    expect(new Set(all.map(wire)).size).toBe(100);
  });

  it('that nobody encrypted passes, so that workflows from before the encryption go on', async () => {
    const original = defaultPayloadConverter.toPayload({ a: 1 }) as Payload;
    expect(await after.decode([original])).toEqual([original]);
  });

  it('is the same in JSON, as the codec server receives and sends it', async () => {
    await fc.assert(
      fc.property(payloads, (original) => {
        const json: unknown = JSON.parse(JSON.stringify(jsonOf(original)));
        expect(wire(payloadOf(json as ReturnType<typeof jsonOf>))).toBe(wire(original));
      }),
      { numRuns: propertyRuns(300) },
    );
  });
});

describe('a rotation', () => {
  it('encrypts with the first key and decrypts with all of them', async () => {
    await fc.assert(
      fc.asyncProperty(payloads, payloads, async (early, late) => {
        const [first, second] = [await encodeOne(before, early), await encodeOne(after, late)];
        expect([first, second].map(({ metadata }) => text(metadata?.['encryption-key-id']))).toEqual([
          OLD.id,
          NEW.id,
        ]);
        expect((await after.decode([first, second])).map(wire)).toEqual([early, late].map(wire));
      }),
      { numRuns: propertyRuns(300) },
    );
  });

  it('that took a key away too early is refused with the id of that key', async () => {
    const encrypted = await encodeOne(before, { data: randomBytes(20) });
    const decoding = createEncryptionCodec([NEW]).decode([encrypted]);
    await expect(decoding).rejects.toThrow(UnknownEncryptionKeyError);
    await expect(decoding).rejects.toThrow(/"2026-10".*temporal\.encryption\.keys/);
  });

  it('that gave an id another key is refused, and yields nothing', async () => {
    const encrypted = await encodeOne(before, { data: randomBytes(20) });
    const decoding = createEncryptionCodec([keyOf(OLD.id)]).decode([encrypted]);
    await expect(decoding).rejects.toThrow(DamagedPayloadError);
  });
});

describe('a change of an encrypted payload', () => {
  it('of any byte of data, key id or encoding is refused', async () => {
    const spots = fc.record({ at: fc.nat(), flip: fc.integer({ min: 1, max: 255 }) });
    const places = fc.constantFrom('data', 'encryption-key-id', 'encoding');
    await fc.assert(
      fc.asyncProperty(payloads, places, spots, async (original, place, { at, flip }) => {
        const encrypted = await encodeOne(after, original);
        const target = place === 'data' ? encrypted.data : encrypted.metadata?.[place];
        const changed = target as Uint8Array;
        changed[at % changed.length] = (changed[at % changed.length] as number) ^ flip;
        await expect(after.decode([encrypted])).rejects.toThrow(/encryption key|encrypted with the key/);
      }),
      { numRuns: propertyRuns(1000) },
    );
  });

  it('is refused when it is every single byte in turn, of one payload', async () => {
    const encrypted = await encodeOne(after, defaultPayloadConverter.toPayload({ a: 1 }) as Payload);
    const data = encrypted.data as Uint8Array;
    for (let at = 0; at < data.length; at++) {
      const changed = Buffer.from(data);
      changed[at] = (changed[at] as number) ^ 1;
      await expect(after.decode([{ ...encrypted, data: changed }])).rejects.toThrow(DamagedPayloadError);
    }
  });

  it.each([
    ['cut to nothing', (data: Uint8Array) => data.subarray(0, 0)],
    ['cut to its nonce', (data: Uint8Array) => data.subarray(0, 12)],
    ['without its last byte', (data: Uint8Array) => data.subarray(0, -1)],
    ['with a byte more', (data: Uint8Array) => Buffer.concat([data, Buffer.of(0)])],
  ])('is refused: %s', async (_, change) => {
    const encrypted = await encodeOne(after, { data: randomBytes(20) });
    const changed = { ...encrypted, data: change(encrypted.data as Uint8Array) };
    await expect(after.decode([changed])).rejects.toThrow(DamagedPayloadError);
  });

  it('is refused: relabeled as encrypted with the other key, without a key id, or without data', async () => {
    const encrypted = await encodeOne(after, { data: randomBytes(20) });
    const { metadata } = encrypted as { metadata: Record<string, Uint8Array> };
    const encoding = metadata.encoding as Uint8Array;
    const all: Payload[] = [
      { ...encrypted, metadata: { ...metadata, 'encryption-key-id': Buffer.from(OLD.id) } },
      { ...encrypted, metadata: { encoding } },
      { metadata },
    ];
    for (const changed of all) await expect(after.decode([changed])).rejects.toThrow(DamagedPayloadError);
  });
});

describe('a failure', () => {
  it('has its message and stack in a payload, so that the codec encrypts them', () => {
    const failure = failureConverter.errorToFailure(
      ApplicationFailure.nonRetryable('5511987654321 is refused'),
      defaultPayloadConverter,
    );
    expect(failure.message).toBe('Encoded failure');
    expect(failure.stackTrace).toBe('');
    expect(failure.encodedAttributes).toBeDefined();
    const error = failureConverter.failureToError(failure, defaultPayloadConverter);
    expect(error.message).toBe('5511987654321 is refused');
  });
});
