// The cookies of logins. Over https, their names begin with __Host-, so no other host can set them. Browsers share the
// cookies of a host among its ports, so the names end with the port: two instances on one machine have their own.
import type { CookieOptions, Response } from 'express';

export type CookieKind = 'session' | 'oidc';

const MAX_LENGTH = 4000;

/** Of the response in which they are read and written. A middleware before it sets `res.locals.origin`. */
export interface Cookies {
  name(res: Response, kind: CookieKind): string;
  /** Null: there is none, or somebody added a second one. */
  read(res: Response, kind: CookieKind): string | null;
  /** @param value null deletes the cookie */
  write(res: Response, kind: CookieKind, value: string | null, maxAgeMs: number): void;
}

export function createCookies(isHttps: boolean): Cookies {
  const nameOf = (res: Response, kind: CookieKind): string => {
    const { port } = new URL(String(res.locals.origin));
    return `${isHttps ? '__Host-' : ''}sluice_${kind}_${port || (isHttps ? 443 : 80)}`;
  };
  // The provider's redirect comes from another site. It must bring the cookie of the login that it answers.
  const optionsOf = (kind: CookieKind): CookieOptions => ({
    httpOnly: true,
    secure: isHttps,
    sameSite: kind === 'oidc' ? 'lax' : 'strict',
    path: '/',
  });
  return {
    name: nameOf,
    read(res, kind) {
      const own = nameOf(res, kind);
      const found = (res.req.headers.cookie ?? '').split(';').flatMap((pair) => {
        const [name = '', value = ''] = pair.trim().split('=', 2);
        return name === own ? [value] : [];
      });
      const [value] = found;
      return found.length !== 1 || !value || value.length > MAX_LENGTH ? null : value;
    },
    write(res, kind, value, maxAgeMs) {
      if (value === null) res.clearCookie(nameOf(res, kind), optionsOf(kind));
      else res.cookie(nameOf(res, kind), value, { ...optionsOf(kind), maxAge: maxAgeMs });
    },
  };
}
