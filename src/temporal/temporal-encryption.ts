// The data converter of a configuration: every client and worker of Temporal uses it.
import { join } from 'node:path';
import type { DataConverter } from '@temporalio/common';
import type { LoadedConfig } from '../config/load.ts';
import { DIST_DIR } from '../core/build.ts';
import { openCodec } from '../protect/codec/index.ts';

/** Compiled: the SDK loads it by its path. */
const FAILURE_CONVERTER_PATH = join(DIST_DIR, 'src', 'codec', 'failure-converter.js');

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
