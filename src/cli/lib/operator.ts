// The name of the operator, recorded with each command.
import { userInfo } from 'node:os';
import type { Caller } from '../../operator/service/caller.ts';

/** The user's name. A container's user may have none. */
export function operatorName(): string {
  try {
    return userInfo().username;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall !== 'uv_os_get_passwd') throw error;
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}

/** The caller of a command that serves itself: whoever may open the ledger may do everything. */
export function localCaller(): Caller {
  const name = operatorName();
  return { identity: `unix:${name}`, name, role: 'admin', via: 'local' };
}
