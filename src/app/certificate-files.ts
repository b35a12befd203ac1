// The certificates whose end is measured.
import type { ResolvedConfig } from '../config/resolved-config.ts';
import { tlsFiles } from '../config/tls-files.ts';
import type { CertificateFile } from '../observe/metrics/certificates.ts';

export function certificateFiles(
  config: ResolvedConfig,
  env: Readonly<Record<string, string | undefined>>,
): CertificateFile[] {
  return tlsFiles(config, env).flatMap(({ connection, part, path }) =>
    part === 'key' ? [] : [{ connection, part, path }],
  );
}
