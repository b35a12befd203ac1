// Logins, users, access tokens and the audit log as operators see and steer them.
import type { IDENTITY, Me } from '../../../contracts/operator/identity.ts';
import { addAudit, listAudit } from '../../../ledger/operator/audit.ts';
import {
  createAccessToken,
  deleteAccessToken,
  deleteSession,
  listAccessTokens,
  revokeAccessToken,
  type SessionVia,
} from '../../../ledger/operator/sessions.ts';
import { endLoginsOf, findUser, hasAdmin, listUsers, type UserRow } from '../../../ledger/operator/users.ts';
import { OperatorError } from '../../error.ts';
import { callerOfUser, unixUserOf, userNameOf } from '../../identity/callers.ts';
import {
  checkLogin,
  claimLink,
  firstAdminLink,
  invitationLink,
  startSession,
} from '../../identity/logins.ts';
import { createPasswords } from '../../identity/passwords.ts';
import { sessionLimits } from '../../identity/session-limits.ts';
import { hashToken, newAccessToken } from '../../identity/tokens.ts';
import { addUser, changePassword, requireLocalLogin, updateUser } from '../../identity/users.ts';
import { type Caller, isAllowed } from '../caller.ts';
import type { Handlers, OperatorDeps } from '../deps.ts';
import type { Exchange } from '../exchange.ts';
import { needExchange, needUser, numberOf, ownUser, refuseToken } from './requests.ts';
import { sessionHandlers } from './sessions.ts';

/** Days that the access token of `sluice login` lasts. */
const LOGIN_TOKEN_DAYS = 30;

type LoginEnd = Awaited<ReturnType<Handlers<'POST /login'>['POST /login']>>;

export function identityHandlers({ db, config, consoleUrl }: OperatorDeps): Handlers<keyof typeof IDENTITY> {
  const passwords = createPasswords();

  const begin = async (user: UserRow, via: SessionVia, exchange: Exchange): Promise<LoginEnd> => {
    const { token, csrfToken } = await startSession(db, user, {
      via,
      agent: exchange.agent,
      limits: sessionLimits(config()),
      before: exchange.session,
    });
    exchange.setSession(token);
    return { user: meOf(callerOfUser(user, 'session')), csrfToken, accessToken: null };
  };

  const audited = async (
    action: string,
    login: () => Promise<{ readonly user: UserRow; readonly end: LoginEnd }>,
    name: string | undefined,
  ): Promise<LoginEnd> => {
    try {
      const { user, end } = await login();
      const caller = callerOfUser(user, end.user.via);
      await addAudit(db, { caller, action, target: user.name, details: {} }, 'ok');
      return end;
    } catch (error) {
      if (!(error instanceof OperatorError) || error.kind !== 'unauthenticated') throw error;
      // Somebody may type a password as the name: only names of users are kept.
      const target = name !== undefined && (await findUser(db, name)) !== null ? name : '-';
      await addAudit(db, { caller: null, action, target, details: { code: error.code } }, 'denied');
      throw error;
    }
  };

  return {
    ...sessionHandlers({ db, config }),
    'GET /session': async (_input, caller, exchange) => {
      const { oidc } = config().config.operator;
      return {
        user: caller === null ? null : meOf(caller),
        csrfToken: exchange?.csrfToken ?? null,
        oidc: oidc === undefined ? null : { label: oidc.label },
        needsFirstAdmin: !(await hasAdmin(db)),
      };
    },
    'POST /login': async ({ name: given, password, accessToken }, _caller, exchange) => {
      const { address } = needExchange(exchange);
      const name = given.trim().toLowerCase();
      const login = async () => {
        const user = await checkLogin(db, passwords, { name, password, address });
        if (accessToken === undefined)
          return { user, end: await begin(user, 'password', needExchange(exchange)) };
        const secret = newAccessToken();
        await createAccessToken(db, {
          hash: hashToken(secret),
          user: user.id,
          name: accessToken.name,
          days: LOGIN_TOKEN_DAYS,
        });
        const end = { user: meOf(callerOfUser(user, 'token')), csrfToken: null, accessToken: secret };
        return { user, end };
      };
      return await audited('POST /login', login, name);
    },
    'POST /session/claim': async (input, _caller, exchange) => {
      const login = async () => {
        const user = await claimLink(db, passwords, input);
        return { user, end: await begin(user, 'link', needExchange(exchange)) };
      };
      return await audited('POST /session/claim', login, input.name);
    },
    'POST /logout': async ({ everywhere }, caller, exchange) => {
      if (everywhere) await endLogins(await ownUser(db, caller));
      if (exchange?.accessToken != null) await revokeAccessToken(db, hashToken(exchange.accessToken));
      if (exchange?.session != null) await deleteSession(db, hashToken(exchange.session));
      exchange?.setSession(null);
      return {};
    },
    'POST /password': async ({ current, password, keepTokens: keepsTokens }, caller, exchange) => {
      const user = await ownUser(db, caller);
      const { name } = user;
      const { address } = needExchange(exchange);
      refuseToken(caller);
      requireLocalLogin(user);
      await checkLogin(db, passwords, { name, password: current, address }).catch((error: unknown) => {
        // The session goes on, so it is no login that is missing.
        if (error instanceof OperatorError && error.code === 'LOGIN_FAILED')
          throw new OperatorError('invalid', 'the current password is wrong', {
            code: 'PASSWORD_WRONG',
            cause: error,
          });
        throw error;
      });
      await changePassword(db, passwords, { name, password, keepsTokens });
      return await begin(await ownUser(db, caller), 'password', needExchange(exchange));
    },
    'POST /console': async (_input, caller) => {
      const url = consoleUrl();
      const link = url === null ? null : await firstAdminLink(db, unixUserOf(caller));
      return {
        url,
        link: link === null ? null : `${url}${link.path}`,
        expiresAt: link?.expiresAt ?? null,
      };
    },
    'GET /users': async ({ limit, after = '' }) => {
      const users = await listUsers(db, after, limit);
      return { users, next: users.length < limit ? null : (users.at(-1)?.name ?? null) };
    },
    'POST /users': async ({ name, displayName = name, role, password = null, unixUser = null }, caller) => {
      refuseToken(caller);
      return await addUser(db, passwords, { name, displayName, role, password, unixUser });
    },
    'PATCH /users/{name}': async ({ name, ...change }, caller) => {
      refuseToken(caller);
      return await updateUser(db, name, change);
    },
    'POST /users/{name}/password': async (input, caller) => {
      refuseToken(caller);
      await changePassword(db, passwords, input);
      return {};
    },
    'POST /users/{name}/link': async ({ name }, caller) => {
      refuseToken(caller);
      const user = await needUser(db, name);
      requireLocalLogin(user);
      return await invitationLink(db, user);
    },
    'POST /users/{name}/logout': async ({ name }) => {
      await endLogins(await needUser(db, name));
      return {};
    },
    'GET /tokens': async ({ all, limit, after }, caller) => {
      const isOfAll = all && isAllowed(caller, 'admin');
      const user = isOfAll ? null : (userNameOf(caller) ?? '');
      const tokens = await listAccessTokens(db, { user, after: numberOf(after) ?? 0, limit });
      return { tokens, next: tokens.length < limit ? null : String(tokens.at(-1)?.id) };
    },
    'POST /tokens': async ({ name, days }, caller) => {
      refuseToken(caller);
      const secret = newAccessToken();
      const user = (await ownUser(db, caller)).id;
      return { token: await createAccessToken(db, { hash: hashToken(secret), user, name, days }), secret };
    },
    'DELETE /tokens/{id}': async ({ id }, caller) => {
      const user = isAllowed(caller, 'admin') ? null : userNameOf(caller);
      if (!(await deleteAccessToken(db, id, user)))
        throw new OperatorError('notFound', `you have no access token ${id}`, { code: 'UNKNOWN_TOKEN' });
      return {};
    },
    'GET /audit': async ({ before, limit, ...filter }) => {
      const lines = await listAudit(db, { ...filter, before: numberOf(before), limit });
      return { lines, next: lines.length < limit ? null : String(lines.at(-1)?.id) };
    },
  };

  async function endLogins({ id }: UserRow): Promise<void> {
    await db.transaction((tx) => endLoginsOf(tx, id));
  }
}

function meOf(caller: Caller): Me {
  const { identity, name, role, via } = caller;
  return { identity, name: userNameOf(caller), displayName: name, role, via };
}
