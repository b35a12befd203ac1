// How long sessions last, as the configuration says now.
import type { LoadedConfig } from '../../config/load.ts';
import { durationMs } from '../../core/config/base.ts';
import type { SessionLimits } from '../store/identity/sessions.ts';

export function sessionLimits({ config }: LoadedConfig): SessionLimits {
  const { idle, absolute } = config.operator.sessions;
  return { idleMs: durationMs(idle), absoluteMs: durationMs(absolute) };
}
