// The cookies of logins. Over https, their names begin with __Host-, so no other host can set them.
import type { CookieOptions, Request, Response } from 'express';

export type CookieKind = 'session' | 'oidc';

const PLAIN: Readonly<Record<CookieKind, string>> = { session: 'sluice_session', oidc: 'sluice_oidc' };
const HTTPS: Readonly<Record<CookieKind, string>> = {
  session: '__Host-sluice',
  oidc: '__Host-sluice_oidc',
};
const MAX_LENGTH = 4000;

export interface Cookies {
  /** Null: there is none, or somebody added a second one. */
  read(req: Request, kind: CookieKind): string | null;
  /** @param value null deletes the cookie */
  write(res: Response, kind: CookieKind, value: string | null, maxAgeMs: number): void;
}

export function createCookies(isHttps: boolean): Cookies {
  const names = isHttps ? HTTPS : PLAIN;
  // The provider's redirect comes from another site. It must bring the cookie of the login that it answers.
  const optionsOf = (kind: CookieKind): CookieOptions => ({
    httpOnly: true,
    secure: isHttps,
    sameSite: kind === 'oidc' ? 'lax' : 'strict',
    path: '/',
  });
  return {
    read(req, kind) {
      const found = (req.headers.cookie ?? '').split(';').flatMap((pair) => {
        const [name = '', value = ''] = pair.trim().split('=', 2);
        return name === names[kind] ? [value] : [];
      });
      const [value] = found;
      return found.length !== 1 || value === undefined || value.length > MAX_LENGTH ? null : value;
    },
    write(res, kind, value, maxAgeMs) {
      if (value === null) res.clearCookie(names[kind], optionsOf(kind));
      else res.cookie(names[kind], value, { ...optionsOf(kind), maxAge: maxAgeMs });
    },
  };
}
