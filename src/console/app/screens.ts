// The seven screens, in the order of the navigation.
import {
  IconActivity,
  IconArrowsExchange,
  IconBolt,
  IconMessages,
  IconSend,
  IconSettings,
  IconUserSearch,
} from '@tabler/icons-react';

export const SCREENS = [
  { id: 'overview', path: '/', icon: IconActivity },
  { id: 'syncs', path: '/syncs', icon: IconArrowsExchange },
  { id: 'campaigns', path: '/campaigns', icon: IconSend },
  { id: 'conversations', path: '/conversations', icon: IconMessages },
  { id: 'events', path: '/events', icon: IconBolt },
  { id: 'people', path: '/people', icon: IconUserSearch },
  { id: 'settings', path: '/settings', icon: IconSettings },
] as const;
