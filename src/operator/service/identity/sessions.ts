// Open sessions: who looks at their own sees where they are logged in, and ends what is not theirs.

import { OperatorError } from '../../error.ts';
import { userNameOf } from '../../identity/callers.ts';
import { sessionLimits } from '../../identity/session-limits.ts';
import { endOtherSessions, endSession, listSessions } from '../../store/identity/sessions.ts';
import { isAllowed } from '../caller.ts';
import type { Handlers, OperatorDeps } from '../deps.ts';
import { needUser, numberOf, ownUser, sessionHashOf } from './requests.ts';

type Routes = 'GET /sessions' | 'POST /sessions/{session}/end' | 'POST /sessions/end-others';

export function sessionHandlers({ db, config }: Pick<OperatorDeps, 'db' | 'config'>): Handlers<Routes> {
  return {
    'GET /sessions': async ({ user, limit, before }, caller, exchange) => {
      const own = userNameOf(caller);
      if (user !== undefined && user !== own) {
        if (!isAllowed(caller, 'admin'))
          throw new OperatorError('forbidden', 'only an admin may list the sessions of another user', {
            code: 'ROLE_REQUIRED',
          });
        await needUser(db, user);
      }
      const sessions = await listSessions(db, {
        ...sessionLimits(config()),
        user: user ?? own ?? '',
        current: sessionHashOf(caller, exchange),
        before: numberOf(before),
        limit,
      });
      return { sessions, next: sessions.length < limit ? null : String(sessions.at(-1)?.id) };
    },
    'POST /sessions/{session}/end': async ({ session }, caller, exchange) => {
      const ended = await endSession(db, session, isAllowed(caller, 'admin') ? null : userNameOf(caller));
      if (ended === null)
        throw new OperatorError('notFound', `you have no session ${session}, or it has ended`, {
          code: 'UNKNOWN_SESSION',
        });
      if (ended === sessionHashOf(caller, exchange)) exchange?.setSession(null);
      return {};
    },
    'POST /sessions/end-others': async (_input, caller, exchange) => ({
      ended: await endOtherSessions(db, (await ownUser(db, caller)).id, sessionHashOf(caller, exchange)),
    }),
  };
}
