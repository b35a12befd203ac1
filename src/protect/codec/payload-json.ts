// Payloads as JSON, as Temporal's web UI and command line send them to a codec server: bytes are base64.
import type { Payload } from '@temporalio/common';

export interface PayloadJson {
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  readonly data?: string | undefined;
}

export function payloadOf({ metadata = {}, data = '' }: PayloadJson): Payload {
  return {
    metadata: Object.fromEntries(
      Object.entries(metadata).map(([name, value]) => [name, Buffer.from(value, 'base64')]),
    ),
    data: Buffer.from(data, 'base64'),
  };
}

export function jsonOf({ metadata, data }: Payload): { metadata: Record<string, string>; data: string } {
  return {
    metadata: Object.fromEntries(
      Object.entries(metadata ?? {}).map(([name, value]) => [name, base64(value)]),
    ),
    data: base64(data ?? new Uint8Array()),
  };
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}
