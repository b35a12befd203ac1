// The short lists without pages: tags, pipelines, lost reasons, connections.

import { type Call, ok, type Reply, type Route } from '../http/route.ts';
import { connectionView, pipelineView, tagView } from '../http/views.ts';
import { listLostReasons, listPipelines } from '../openapi/cards.ts';
import { listTags } from '../openapi/contacts.ts';
import { listConnections } from '../openapi/messaging.ts';

const tags = ({ account, choices }: Call): Reply =>
  ok({ [choices.wrappers.tags]: account.tables.tag.rows.map(tagView) });

const pipelines = ({ account, choices }: Call): Reply =>
  ok({ [choices.wrappers.pipelines]: account.tables.pipeline.rows.map(pipelineView) });

const lostReasons = ({ account, choices }: Call): Reply =>
  ok({
    [choices.wrappers.lostReasons]: account.tables.lostReason.rows.map(({ id, name }) => ({ id, name })),
  });

const connections = ({ account }: Call): Reply => {
  const { rows } = account.tables.connection;
  return ok({ count: rows.length, connections: rows.map(connectionView) });
};

export const catalogueRoutes: readonly Route[] = [
  { method: 'get', path: '/v1/tags', scope: 'contacts:read', operation: listTags, handle: tags },
  { method: 'get', path: '/v1/pipelines', scope: 'cards:read', operation: listPipelines, handle: pipelines },
  {
    method: 'get',
    path: '/v1/lost-reasons',
    scope: 'cards:read',
    operation: listLostReasons,
    handle: lostReasons,
  },
  {
    method: 'get',
    path: '/v1/connections',
    scope: 'connections:read',
    operation: listConnections,
    handle: connections,
  },
];
