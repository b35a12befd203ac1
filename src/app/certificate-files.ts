// The certificates that this configuration names.
import type { ResolvedConfig } from '../config/resolved-config.ts';
import type { CertificateFile } from '../observe/metrics/certificates.ts';

type Env = Readonly<Record<string, string | undefined>>;

export function certificateFiles(
  { temporal, operator, ingress, sinks }: ResolvedConfig,
  env: Env,
): CertificateFile[] {
  const ofTemporal = typeof temporal.tls === 'object' ? temporal.tls : {};
  return [
    ...filesOf('temporal', {
      ca: ofTemporal.ca ?? env.TEMPORAL_TLS_SERVER_CA_CERT_PATH,
      cert: ofTemporal.cert ?? env.TEMPORAL_TLS_CLIENT_CERT_PATH,
    }),
    ...filesOf('console', operator.http.tls ?? {}),
    ...Object.entries(ingress.kafka).flatMap(([name, { tls }]) =>
      typeof tls === 'object' ? filesOf(`ingress.kafka.${name}`, tls) : [],
    ),
    ...Object.entries(sinks).flatMap(([name, sink]) =>
      sink.type === 'kafka' && typeof sink.tls === 'object' ? filesOf(`sinks.${name}`, sink.tls) : [],
    ),
  ];
}

function filesOf(
  connection: string,
  { ca, cert }: { readonly ca?: string | undefined; readonly cert?: string | undefined },
): CertificateFile[] {
  return [
    ...(ca ? [{ connection, part: 'authority', path: ca } as const] : []),
    ...(cert ? [{ connection, part: 'certificate', path: cert } as const] : []),
  ];
}
