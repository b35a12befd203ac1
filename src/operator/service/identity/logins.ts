// Logins: everything that makes a session, or an access token out of a password. Without its code, a login of a user with
// a second factor ends as pending.
import type { LoggedIn, Me, Session } from '../../contract/identity.ts';
import { OperatorError } from '../../error.ts';
import { callerOfLogin, callerOfUser, userNameOf } from '../../identity/callers.ts';
import { checkLogin, claimLink, requireSecondFactor, startSession } from '../../identity/logins.ts';
import type { Passwords } from '../../identity/passwords.ts';
import { nameOfPending, readPendingLogin, signPendingLogin } from '../../identity/pending-login.ts';
import { checkCode } from '../../identity/second-factor.ts';
import { needsSecondFactor, secondFactorPolicy } from '../../identity/second-factor-policy.ts';
import { sessionLimits } from '../../identity/session-limits.ts';
import { hashToken, newAccessToken } from '../../identity/tokens.ts';
import { changePassword, requireLocalLogin } from '../../identity/users.ts';
import { addAudit } from '../../store/audit.ts';
import { createAccessToken, deleteSession, revokeAccessToken } from '../../store/identity/sessions.ts';
import { findUser, type UserRow } from '../../store/identity/users.ts';
import { type Caller, secondFactorRequired } from '../caller.ts';
import type { Handlers, OperatorDeps } from '../deps.ts';
import type { Exchange } from '../exchange.ts';
import { checkOwnCode, checkOwnPassword, endLogins, needExchange, ownUser, refuseToken } from './requests.ts';

type Routes = 'POST /login' | 'POST /login/code' | 'POST /session/claim' | 'POST /logout' | 'POST /password';

/** Days that the access token of `sluice login` lasts. */
const LOGIN_TOKEN_DAYS = 30;

/** What a login makes: a session, or an access token with a name. */
interface Wanted {
  readonly via: Exclude<Session['via'], 'oidc'>;
  readonly accessToken: string | null;
}

interface Login {
  readonly user: UserRow;
  readonly end: LoggedIn;
  /** For the audit log. */
  readonly details?: Readonly<Record<string, unknown>>;
}

export interface LoginDeps extends Pick<OperatorDeps, 'db' | 'config'> {
  readonly passwords: Passwords;
}

export function loginHandlers({ db, config, passwords }: LoginDeps): Handlers<Routes> {
  const begin = async (
    user: UserRow,
    { via, accessToken }: Wanted,
    exchange: Exchange,
    hasCode: boolean,
  ): Promise<LoggedIn> => {
    const policy = secondFactorPolicy(config());
    if (accessToken !== null) {
      requireSecondFactor(user, hasCode);
      if (needsSecondFactor(user, policy)) throw secondFactorRequired({ name: user.displayName });
      const secret = newAccessToken();
      const token = { hash: hashToken(secret), user: user.id, name: accessToken, days: LOGIN_TOKEN_DAYS };
      await createAccessToken(db, token);
      return {
        user: meOf(callerOfLogin(user, 'token', policy)),
        csrfToken: null,
        accessToken: secret,
        pending: null,
      };
    }
    const { token, csrfToken } = await startSession(db, user, {
      via,
      hasCode,
      agent: exchange.agent,
      limits: sessionLimits(config()),
      before: exchange.session,
    });
    exchange.setSession(token);
    const caller = callerOfLogin(user, 'session', policy);
    return { user: meOf(caller), csrfToken, accessToken: null, pending: null };
  };

  /** After a right password or link. */
  const beginOrAsk = async (user: UserRow, wanted: Wanted, exchange: Exchange): Promise<Login> => {
    if (!user.hasSecondFactor) return { user, end: await begin(user, wanted, exchange, false) };
    const pending = await signPendingLogin(db, user, wanted);
    return { user, end: { user: null, csrfToken: null, accessToken: null, pending } };
  };

  const audited = async (
    action: string,
    login: () => Promise<Login>,
    name: string | undefined,
  ): Promise<LoggedIn> => {
    try {
      const { user, end, details = {} } = await login();
      // Whoever has only the password is not the user yet.
      const caller = end.user === null ? null : callerOfUser(user, end.user.via);
      const asked = end.pending === null ? {} : { secondFactor: 'asked' };
      await addAudit(db, { caller, action, target: user.name, details: { ...details, ...asked } }, 'ok');
      return end;
    } catch (error) {
      if (!(error instanceof OperatorError) || !isRefusal(error)) throw error;
      // Somebody may type a password as the name: only names of users are kept.
      const target = name !== undefined && (await findUser(db, name)) !== null ? name : '-';
      await addAudit(db, { caller: null, action, target, details: { code: error.code } }, 'denied');
      throw error;
    }
  };

  return {
    'POST /login': async ({ name: given, password, accessToken }, _caller, exchange) => {
      const { address } = needExchange(exchange);
      const name = given.trim().toLowerCase();
      const login = async () => {
        const user = await checkLogin(db, passwords, { name, password, address });
        const wanted: Wanted = { via: 'password', accessToken: accessToken?.name ?? null };
        return await beginOrAsk(user, wanted, needExchange(exchange));
      };
      return await audited('POST /login', login, name);
    },
    'POST /login/code': async ({ pending, code }, _caller, exchange) => {
      const { address } = needExchange(exchange);
      const login = async () => {
        const { user, via, accessToken } = await readPendingLogin(db, pending);
        const used = await checkCode(db, user, { code, address });
        const end = await begin(user, { via, accessToken }, needExchange(exchange), true);
        return { user, end, details: { with: used } };
      };
      return await audited('POST /login/code', login, nameOfPending(pending));
    },
    'POST /session/claim': async (input, _caller, exchange) => {
      const login = async () => {
        const user = await claimLink(db, passwords, input);
        return await beginOrAsk(user, { via: 'link', accessToken: null }, needExchange(exchange));
      };
      return await audited('POST /session/claim', login, input.name);
    },
    'POST /logout': async ({ everywhere }, caller, exchange) => {
      if (everywhere) await endLogins(db, await ownUser(db, caller));
      if (exchange?.accessToken != null) await revokeAccessToken(db, hashToken(exchange.accessToken));
      if (exchange?.session != null) await deleteSession(db, hashToken(exchange.session));
      exchange?.setSession(null);
      return {};
    },
    'POST /password': async ({ current, password, code, keepTokens: keepsTokens }, caller, exchange) => {
      const user = await ownUser(db, caller);
      const { name } = user;
      const { address } = needExchange(exchange);
      refuseToken(caller);
      requireLocalLogin(user);
      await checkOwnPassword(db, passwords, { name, password: current, address });
      const prove = async () => {
        if (user.hasSecondFactor) await checkOwnCode(db, user, { code, address });
      };
      await changePassword(db, passwords, { name, password, keepsTokens, prove });
      const wanted: Wanted = { via: 'password', accessToken: null };
      return await begin(await ownUser(db, caller), wanted, needExchange(exchange), user.hasSecondFactor);
    },
  };
}

export function meOf(caller: Caller): Me {
  const { identity, name, role, via, needsSecondFactor = false } = caller;
  return { identity, name: userNameOf(caller), displayName: name, role, via, needsSecondFactor };
}

function isRefusal({ kind }: OperatorError): boolean {
  return kind === 'unauthenticated' || kind === 'forbidden';
}
