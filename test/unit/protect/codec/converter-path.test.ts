import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { FAILURE_CONVERTER_PATH } from '../../../../src/protect/codec/converter-path.ts';
import { buildOnce } from '../../../support/runner/build.ts';

it('has the converter that encrypts failures where clients load it, and in the bundle of workflows', async () => {
  const dist = await buildOnce();
  const { failureConverter } = (await import(FAILURE_CONVERTER_PATH)) as Record<string, object>;
  expect(failureConverter).toMatchObject({ options: { encodeCommonAttributes: true } });
  const bundle = await readFile(join(dist, 'workflow-bundle-encrypted.js'), 'utf8');
  expect(bundle).toContain('encodeCommonAttributes: true');
});
