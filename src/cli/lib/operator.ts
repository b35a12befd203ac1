// Who steers: kept with what was done.
import { userInfo } from 'node:os';

/** Who acts: the user's name; a container's user may have none. */
export function operatorName(): string {
  try {
    return userInfo().username;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall !== 'uv_os_get_passwd') throw error;
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
