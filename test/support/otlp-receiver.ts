// A receiver of OTLP over HTTP: it decodes the protobuf that arrives, without the code that encoded it.
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceState: string;
  readonly parentSpanId: string;
  readonly name: string;
  /** 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  readonly kind: number;
  /** Nanoseconds since 1970. */
  readonly start: bigint;
  readonly end: bigint;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  /** 2: error. */
  readonly status: { readonly code: number; readonly message: string };
  readonly resource: Readonly<Record<string, string | number | boolean>>;
}

export interface OtlpReceiver {
  /** Base address, as OTEL_EXPORTER_OTLP_ENDPOINT has it. */
  readonly url: string;
  readonly spans: ReceivedSpan[];
  /** Everything that arrived, as bytes and as headers. */
  readonly bodies: Buffer[];
  readonly headers: IncomingHttpHeaders[];
  close(): Promise<void>;
}

/** @param answer status of each answer; null: the request hangs */
export async function startOtlpReceiver(answer: () => number | null = () => 200): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const bodies: Buffer[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    bodies.push(body);
    headers.push(request.headers);
    const status = answer();
    if (status === null) return;
    if (status === 200 && request.url === '/v1/traces') spans.push(...readRequest(body));
    response.writeHead(status, { 'content-type': 'application/x-protobuf' }).end();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    bodies,
    headers,
    close: () =>
      new Promise<void>((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

type Value = bigint | Buffer;

/** Fields of a message by number, in the order in which they came. */
function fieldsOf(bytes: Buffer): Map<number, Value[]> {
  const fields = new Map<number, Value[]>();
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined) throw new Error('the message is cut');
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const key = Number(varint());
    const value = valueOf(key & 7);
    fields.set(key >> 3, [...(fields.get(key >> 3) ?? []), value]);
  }
  return fields;

  function valueOf(wire: number): Value {
    if (wire === 0) return varint();
    const length = wire === 1 ? 8 : wire === 5 ? 4 : Number(varint());
    at += length;
    const part = bytes.subarray(at - length, at);
    if (wire === 2) return part;
    return wire === 1 ? part.readBigUInt64LE() : BigInt(part.readUInt32LE());
  }
}

const messages = (fields: Map<number, Value[]>, number: number) =>
  (fields.get(number) ?? []).map((value) => fieldsOf(value as Buffer));
const bytesOf = (fields: Map<number, Value[]>, number: number) =>
  (fields.get(number)?.[0] as Buffer | undefined) ?? Buffer.alloc(0);
const hex = (fields: Map<number, Value[]>, number: number) => bytesOf(fields, number).toString('hex');
const text = (fields: Map<number, Value[]>, number: number) => bytesOf(fields, number).toString('utf8');
const integer = (fields: Map<number, Value[]>, number: number) =>
  (fields.get(number)?.[0] as bigint | undefined) ?? 0n;

/** ExportTraceServiceRequest of OTLP 1. */
function readRequest(body: Buffer): ReceivedSpan[] {
  return messages(fieldsOf(body), 1).flatMap((resourceSpans) => {
    const resource = Object.assign({}, ...messages(resourceSpans, 1).map((each) => attributesOf(each, 1)));
    return messages(resourceSpans, 2).flatMap((scope) =>
      messages(scope, 2).map((span): ReceivedSpan => {
        const [status] = messages(span, 15);
        return {
          traceId: hex(span, 1),
          spanId: hex(span, 2),
          traceState: text(span, 3),
          parentSpanId: hex(span, 4),
          name: text(span, 5),
          kind: Number(integer(span, 6)),
          start: integer(span, 7),
          end: integer(span, 8),
          attributes: attributesOf(span, 9),
          links: messages(span, 13).map((link) => ({ traceId: hex(link, 1), spanId: hex(link, 2) })),
          status: {
            code: status === undefined ? 0 : Number(integer(status, 3)),
            message: status === undefined ? '' : text(status, 2),
          },
          resource,
        };
      }),
    );
  });
}

function attributesOf(fields: Map<number, Value[]>, number: number): ReceivedSpan['attributes'] {
  return Object.fromEntries(
    messages(fields, number).map((pair) => {
      const [value = new Map<number, Value[]>()] = messages(pair, 2);
      if (value.has(2)) return [text(pair, 1), integer(value, 2) === 1n];
      if (value.has(3)) return [text(pair, 1), Number(BigInt.asIntN(64, integer(value, 3)))];
      if (value.has(4)) {
        const bits = Buffer.alloc(8);
        bits.writeBigUInt64LE(integer(value, 4));
        return [text(pair, 1), bits.readDoubleLE()];
      }
      return [text(pair, 1), text(value, 1)];
    }),
  );
}
