// The short lists without pages: tags, pipelines, lost reasons, connections.
import { type Call, ok, type Reply, type Route } from '../route.ts';
import { connectionView, pipelineView, tagView } from '../views.ts';

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
  { method: 'get', path: '/v1/tags', scope: 'contacts:read', handle: tags },
  { method: 'get', path: '/v1/pipelines', scope: 'cards:read', handle: pipelines },
  { method: 'get', path: '/v1/lost-reasons', scope: 'cards:read', handle: lostReasons },
  { method: 'get', path: '/v1/connections', scope: 'connections:read', handle: connections },
];
