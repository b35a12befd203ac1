// When the certificates end that the configuration names, so that somebody renews them in time.
import { X509Certificate } from 'node:crypto';
import { Gauge, type Registry } from 'prom-client';
import { readRegularFile } from '../../core/files/regular-file.ts';

export interface CertificateFile {
  /** What uses it: `temporal`, `console`, `ledger`, `ingress.kafka.NAME` or `sinks.NAME`. */
  readonly connection: string;
  readonly part: 'authority' | 'certificate';
  /** Of a PEM file. Of a chain, its first certificate counts. */
  readonly path: string;
}

export interface CertificateMetrics {
  /** Reads these files at each scrape. */
  watch(files: () => readonly CertificateFile[]): void;
}

export function createCertificateMetrics(registry: Registry): CertificateMetrics {
  let list: () => readonly CertificateFile[] = () => [];
  const gauge = new Gauge({
    name: 'sluice_certificate_expiry_timestamp_seconds',
    help: 'Unix time at which a certificate ends, by what uses it and part: authority or certificate. Absent while its file cannot be read',
    labelNames: ['connection', 'part'],
    registers: [registry],
    async collect() {
      gauge.reset();
      await Promise.all(
        list().map(async ({ connection, part, path }) => {
          const end = await endOf(path);
          if (end !== null) gauge.set({ connection, part }, end.getTime() / 1000);
        }),
      );
    },
  });
  return {
    watch(files) {
      list = files;
    },
  };
}

/** A file that cannot be used is an error of the connection, which says so. */
async function endOf(path: string): Promise<Date | null> {
  try {
    return new X509Certificate(await readRegularFile(path)).validToDate;
  } catch {
    return null;
  }
}
