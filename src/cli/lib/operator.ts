// The name of the operator, recorded with each command.
import { userInfo } from 'node:os';

/** The user's name. A container's user may have none. */
export function operatorName(): string {
  try {
    return userInfo().username;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall !== 'uv_os_get_passwd') throw error;
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
