// The second factor as its user turns it on and off, and as an admin resets it.
import type { SECOND_FACTOR } from '../../contract/second-factor.ts';
import { OperatorError } from '../../error.ts';
import { userNameOf } from '../../identity/callers.ts';
import { enrol, isOff, propose } from '../../identity/second-factor.ts';
import { requireLocalLogin } from '../../identity/users.ts';
import { stateOfSecondFactor, turnOff } from '../../store/identity/second-factors.ts';
import { endLoginsOf } from '../../store/identity/users.ts';
import type { Handlers } from '../deps.ts';
import type { LoginDeps } from './logins.ts';
import {
  checkOwnCode,
  checkOwnPassword,
  inSession,
  needExchange,
  needUser,
  ownUser,
  refuseToken,
  sessionHashOf,
} from './requests.ts';

export function secondFactorHandlers({
  db,
  passwords,
}: Pick<LoginDeps, 'db' | 'passwords'>): Handlers<keyof typeof SECOND_FACTOR> {
  return {
    'GET /second-factor': async (_input, caller) => {
      const { id, hasPassword, oidcIssuer } = await ownUser(db, caller);
      return { ...(await stateOfSecondFactor(db, id)), isAvailable: hasPassword && oidcIssuer === null };
    },
    'POST /second-factor/secret': async (_input, caller) => {
      const user = await ownUser(db, caller);
      refuseToken(caller);
      requireLocalLogin(user);
      return await propose(db, user);
    },
    'POST /second-factor': async ({ password, code, keepTokens: keepsTokens }, caller, exchange) => {
      const user = await ownUser(db, caller);
      const { address } = needExchange(exchange);
      refuseToken(caller);
      requireLocalLogin(user);
      await checkOwnPassword(db, passwords, { name: user.name, password, address });
      const session = sessionHashOf(caller, exchange);
      return {
        recoveryCodes: [...(await inSession(enrol(db, user, { code, address, session, keepsTokens })))],
      };
    },
    'POST /second-factor/off': async ({ password, code }, caller, exchange) => {
      const user = await ownUser(db, caller);
      const { address } = needExchange(exchange);
      refuseToken(caller);
      if (!user.hasSecondFactor) throw isOff(user.name);
      await checkOwnPassword(db, passwords, { name: user.name, password, address });
      await checkOwnCode(db, user, { code, address });
      await turnOff(db, user.id);
      return {};
    },
    'POST /users/{name}/second-factor/reset': async ({ name }, caller) => {
      refuseToken(caller);
      // Whoever finds an open browser must not turn the second factor off without a code.
      if (caller.via === 'session' && userNameOf(caller) === name)
        throw new OperatorError('conflict', 'turn your own second factor off with your password and a code', {
          code: 'SECOND_FACTOR_OWN',
        });
      const { id } = await needUser(db, name);
      await db.transaction(async (tx) => {
        if (!(await turnOff(tx, id))) throw isOff(name);
        await endLoginsOf(tx, id);
      });
      return {};
    },
  };
}
