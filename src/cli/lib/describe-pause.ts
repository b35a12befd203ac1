// Why a run of a sync or of a campaign stands still, as text.
import type { Pause } from '../../core/pause.ts';
import { formatTime } from './terminal/format.ts';

/**
 * A resume that the same refusal ended at once is named, so that it looks neither like nothing nor like a success.
 * @param timeZone of the times
 * @default the computer's time zone
 */
export function describePause({ by, reason, code, at, again }: Pause, timeZone?: string): string {
  if (code === undefined || at === undefined) return `paused by ${by}: ${reason || 'no reason given'}`;
  const time = (moment: string) => formatTime(moment, timeZone);
  const then =
    again === undefined
      ? `blocked at ${time(at)}`
      : `resumed by ${again.by} at ${time(again.at)}, and blocked again at ${time(at)} for the same reason`;
  return `${then}: ${reason}`;
}
