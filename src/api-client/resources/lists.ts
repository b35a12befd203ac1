// The lists that come whole, without pages: tags, pipelines, lost reasons, connections.
import { route } from '../arguments.ts';
import type { Assumptions } from '../assumptions.ts';
import type { ApiResult, Call, CallOptions } from '../call.ts';
import { Connection } from '../schemas/connection.ts';
import { LostReason, Pipeline } from '../schemas/pipeline.ts';
import { Tag } from '../schemas/tag.ts';
import { arrayAt, type JsonObject, type Listing, readItems, readList } from '../shapes.ts';

/** A list that one call answers whole. */
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
  const wrapper = assumptions['wrapper.tags'];
  return new ListResource(call, '/v1/tags', (body) => readList(Tag, body, wrapper, 'tags'));
}

/** GET /v1/pipelines, scope cards:read. */
export function pipelinesResource(call: Call, assumptions: Assumptions): ListResource<Pipeline> {
  const wrapper = assumptions['wrapper.pipelines'];
  return new ListResource(call, '/v1/pipelines', (body) => readList(Pipeline, body, wrapper, 'pipelines'));
}

/** GET /v1/lost-reasons, scope cards:read. */
export function lostReasonsResource(call: Call, assumptions: Assumptions): ListResource<LostReason> {
  const wrapper = assumptions['wrapper.lostReasons'];
  return new ListResource(call, '/v1/lost-reasons', (body) =>
    readList(LostReason, body, wrapper, 'lostReasons'),
  );
}

/** GET /v1/connections, scope connections:read. */
export function connectionsResource(call: Call): ListResource<Connection> {
  return new ListResource(call, '/v1/connections', (body) =>
    readItems(Connection, arrayAt(body, 'connections'), 'connections'),
  );
}
