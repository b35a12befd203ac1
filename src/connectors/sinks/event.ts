// The event of a sink: CloudEvents 1.0 in structured JSON. A sink knows no more about it.

/** Content type of a CloudEvent in structured mode. */
export const EVENT_CONTENT_TYPE = 'application/cloudevents+json; charset=UTF-8';

/** Events with one `partitionkey` arrive in order. A repeated event has the same `id`. */
export interface CloudEvent {
  readonly id: string;
  readonly source: string;
  readonly type: string;
  readonly time: string;
  readonly partitionkey: string;
  readonly data: unknown;
}
