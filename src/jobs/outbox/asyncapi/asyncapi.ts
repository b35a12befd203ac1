// Builds the AsyncAPI 3.0 document of the events that Sluice sends.
import type { Config } from '../../../config/schema/config.ts';
import { EVENT_CONTENT_TYPE } from '../../../connectors/sinks/event.ts';
import { describeChannels } from './channels.ts';
import { EVENT_TYPES, MESSAGES, messageOf, schemasOf } from './messages.ts';

const ABOUT = `CloudEvents 1.0 in structured mode (JSON), delivered at least once and in order within a \`partitionkey\`. A repeated event has the same \`id\`.`;

/**
 * @param version of Sluice
 * @param config configuration whose sinks become channels; null gives messages and schemas alone
 * @returns the document as JSON-safe data, without secrets
 */
export function describeEvents(
  version: string,
  config: Pick<Config, 'accounts' | 'sinks' | 'syncs'> | null,
): object {
  const found = config === null ? null : describeChannels(config);
  const part = (name: string, value: object | undefined) =>
    value === undefined || Object.keys(value).length === 0 ? {} : { [name]: value };
  const messages = EVENT_TYPES.map((type) => {
    const { title, example } = MESSAGES[type];
    return [type, { ...messageOf(type), examples: [{ name: title, payload: example }] }];
  });
  return {
    asyncapi: '3.0.0',
    info: { title: 'Sluice: events out', version, description: ABOUT },
    defaultContentType: EVENT_CONTENT_TYPE,
    ...part('servers', found?.servers),
    ...part('channels', found?.channels),
    ...part('operations', found?.operations),
    components: {
      schemas: schemasOf(),
      messages: Object.fromEntries(messages),
      ...part('messageTraits', found?.messageTraits),
      ...part('securitySchemes', found?.securitySchemes),
    },
    ...part('x-sinks', found?.others),
  };
}
