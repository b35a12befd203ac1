// The codec server: encrypts and decrypts payloads for Temporal's web UI and command line.
import type { PayloadCodec } from '@temporalio/common';
import { openCodec } from '../../protect/codec/index.ts';
import { jsonOf, payloadOf } from '../../protect/codec/payload-json.ts';
import type { CODEC } from '../contract/codec.ts';
import { OperatorError } from '../error.ts';
import type { Handlers, OperatorDeps } from './deps.ts';

export function codecHandlers({ config }: Pick<OperatorDeps, 'config'>): Handlers<keyof typeof CODEC> {
  // Opened for each request: a key file that changed is read as it is now.
  const open = async (): Promise<PayloadCodec> => {
    const { config: parts, secret } = config();
    const { keys } = parts.temporal.encryption;
    const codec = await openCodec({ keys, secret: async (ref) => (await secret(ref)).value });
    if (codec !== null) return codec;
    throw new OperatorError('notFound', 'there are no keys; add one to temporal.encryption.keys', {
      code: 'NO_ENCRYPTION',
    });
  };
  return {
    'POST /codec/decode': async ({ payloads }) => {
      const decoded = await (await open()).decode(payloads.map(payloadOf));
      return { payloads: decoded.map(jsonOf) };
    },
    'POST /codec/encode': async ({ payloads }) => {
      const encoded = await (await open()).encode(payloads.map(payloadOf));
      return { payloads: encoded.map(jsonOf) };
    },
  };
}
