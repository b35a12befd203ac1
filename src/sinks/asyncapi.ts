// The AsyncAPI 3.0 document of what Sluice tells others.
import type { Config } from '../contracts/config/config.ts';
import { EVENT_CONTENT_TYPE } from '../contracts/wire/events.ts';
import { describeChannels } from './asyncapi-channels.ts';
import { EVENT_TYPES, MESSAGES, messageOf, schemasOf } from './asyncapi-messages.ts';

const ABOUT = `CloudEvents 1.0 in structured mode (JSON), told at least once and in order within one \`partitionkey\`. A repetition has the same \`id\`.`;

/**
 * @param version of Sluice
 * @param config whose sinks become channels; null: messages and schemas alone
 * @returns the document, JSON-safe; no secret is in it
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
