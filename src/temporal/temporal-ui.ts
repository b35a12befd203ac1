// The address of the embedded Temporal server's web UI. The UI has no login and does not check the `Host` header: a web
// page whose name resolves to this machine (DNS rebinding) can read and start workflows through it. The only protection
// left is an address that such a page can't guess.
import { randomInt } from 'node:crypto';
import { z } from 'zod';
import { freePort } from '../core/net/ports.ts';

export const UiPlace = z.object({ host: z.string(), port: z.int() });
export type UiPlace = z.infer<typeof UiPlace>;

/**
 * A random loopback address and a random port. On Linux, all of 127.0.0.0/8 is loopback: 2^24
 * addresses with 2^15 ports. Other systems have 127.0.0.1 only, and there the port is all that is random.
 */
export async function hiddenPlace(): Promise<UiPlace> {
  const host =
    process.platform === 'linux'
      ? `127.${randomInt(1, 255)}.${randomInt(0, 256)}.${randomInt(1, 255)}`
      : '127.0.0.1';
  return { host, port: await freePort() };
}

/** The newsfeed is off: its request would send the address of the page to another server. */
export function uiArguments(ui: UiPlace | null): string[] {
  if (ui === null) return ['--headless'];
  return ['--ui-ip', ui.host, '--ui-port', String(ui.port), '--ui-disable-news-fetch'];
}

/** The warning to show while the UI is up. */
export function uiWarning(ui: string): string {
  const guess = process.platform === 'linux' ? '' : ' A web page that guesses the port can use it too.';
  return (
    `Temporal UI ${ui} has no login: every program and user of this machine can control all workflows through it.` +
    `${guess} Do not publish the address, and start Sluice without --temporal-ui when you are done.`
  );
}
