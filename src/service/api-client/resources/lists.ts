// The lists without pages: tags, pipelines, lost reasons, connections.
import { route } from '../arguments.ts';
import type { Assumptions } from '../assumptions.ts';
import type { ApiResult, Call, CallOptions } from '../call.ts';
import type { JsonObject } from '../json-object.ts';
import { readLostReasons, readPipelines, readTags } from '../readers.ts';
import { Connection } from '../schemas/connection.ts';
import type { LostReason, Pipeline } from '../schemas/pipeline.ts';
import type { Tag } from '../schemas/tag.ts';
import { arrayAt, type Listing, readItems } from '../shapes.ts';

/** A list that one call returns completely. */
export class ListResource<T> {
  readonly #call: Call;
  readonly #path: string;
  readonly #read: (body: JsonObject) => Listing<T>;

  constructor(call: Call, path: string, read: (body: JsonObject) => Listing<T>) {
    this.#call = call;
    this.#path = path;
    this.#read = read;
  }

  /** The whole list, in one call. */
  async list(options?: CallOptions): Promise<ApiResult<Listing<T>>> {
    return this.#call({ method: 'GET', route: route(this.#path), read: this.#read }, options);
  }
}

/** GET /v1/tags, scope contacts:read. */
export function tagsResource(call: Call, assumptions: Assumptions): ListResource<Tag> {
  return new ListResource(call, '/v1/tags', (body) => readTags(body, assumptions));
}

/** GET /v1/pipelines, scope cards:read. */
export function pipelinesResource(call: Call, assumptions: Assumptions): ListResource<Pipeline> {
  return new ListResource(call, '/v1/pipelines', (body) => readPipelines(body, assumptions));
}

/** GET /v1/lost-reasons, scope cards:read. */
export function lostReasonsResource(call: Call, assumptions: Assumptions): ListResource<LostReason> {
  return new ListResource(call, '/v1/lost-reasons', (body) => readLostReasons(body, assumptions));
}

/** GET /v1/connections, scope connections:read. */
export function connectionsResource(call: Call): ListResource<Connection> {
  return new ListResource(call, '/v1/connections', (body) =>
    readItems(Connection, arrayAt(body, 'connections'), 'connections'),
  );
}
