// Logins, users, access tokens and the audit log as operators see and steer them.
import type { IDENTITY } from '../../contract/identity.ts';
import type { SECOND_FACTOR } from '../../contract/second-factor.ts';
import { OperatorError } from '../../error.ts';
import { unixUserOf, userNameOf } from '../../identity/callers.ts';
import { firstAdminLink, invitationLink } from '../../identity/logins.ts';
import { createPasswords } from '../../identity/passwords.ts';
import { hashToken, newAccessToken } from '../../identity/tokens.ts';
import { addUser, changePassword, requireLocalLogin, updateUser } from '../../identity/users.ts';
import { listAudit } from '../../store/audit.ts';
import { readApprovalWaits } from '../../store/identity/approvers.ts';
import { createAccessToken, deleteAccessToken, listAccessTokens } from '../../store/identity/sessions.ts';
import { hasAdmin, listUsers } from '../../store/identity/users.ts';
import { isAllowed } from '../caller.ts';
import type { Handlers, OperatorDeps } from '../deps.ts';
import { loginHandlers, meOf } from './logins.ts';
import { endLogins, needUser, numberOf, ownUser, refuseToken } from './requests.ts';
import { secondFactorHandlers } from './second-factor.ts';
import { sessionHandlers } from './sessions.ts';

export function identityHandlers({
  db,
  config,
  consoleUrl,
}: OperatorDeps): Handlers<keyof typeof IDENTITY | keyof typeof SECOND_FACTOR> {
  const passwords = createPasswords();
  const waits = () => readApprovalWaits(db, db.kind);

  return {
    ...loginHandlers({ db, config, passwords }),
    ...secondFactorHandlers({ db, passwords }),
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
      const waitsOf = await waits();
      const found = users.map((user) => ({ ...user, approvalWaits: waitsOf(user) }));
      return { users: found, next: users.length < limit ? null : (users.at(-1)?.name ?? null) };
    },
    'POST /users': async ({ name, displayName = name, role, password = null, unixUser = null }, caller) => {
      refuseToken(caller);
      const user = await addUser(db, passwords, { name, displayName, role, password, unixUser });
      return { ...user, approvalWaits: (await waits())(user) };
    },
    'PATCH /users/{name}': async ({ name, ...change }, caller) => {
      refuseToken(caller);
      const user = await updateUser(db, name, change);
      return { ...user, approvalWaits: (await waits())(user) };
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
      const link = await invitationLink(db, user);
      return { ...link, approvalWaits: (await waits())(user) };
    },
    'POST /users/{name}/logout': async ({ name }) => {
      await endLogins(db, await needUser(db, name));
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
}
