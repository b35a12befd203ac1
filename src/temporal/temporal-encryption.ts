// The data converter of a configuration: every client and worker of Temporal uses it.
import type { DataConverter } from '@temporalio/common';
import type { LoadedConfig } from '../config/load.ts';
import { FAILURE_CONVERTER_PATH } from '../protect/codec/converter-path.ts';
import { openCodec } from '../protect/codec/index.ts';

/**
 * @returns the converter of the SDK itself (`{}`) without keys
 * @throws SecretError, EncryptionKeyError
 */
export async function openDataConverter(
  { config, secret }: Pick<LoadedConfig, 'config' | 'secret'>,
  failureConverterPath = FAILURE_CONVERTER_PATH,
): Promise<DataConverter> {
  const { keys } = config.temporal.encryption;
  const codec = await openCodec({ keys, secret: async (ref) => (await secret(ref)).value });
  return codec === null ? {} : { payloadCodecs: [codec], failureConverterPath };
}

export function isEncrypting({ payloadCodecs }: DataConverter): boolean {
  return payloadCodecs !== undefined;
}
