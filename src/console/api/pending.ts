// Routes that the console calls and that ENDPOINTS does not have yet. Each leaves this file when its table is served.
import type { Role } from '../../contracts/operator/endpoint.ts';
import type { OVERVIEW } from '../../contracts/operator/overview.ts';

interface LoggedIn {
  readonly csrfToken: string | null;
}

interface Logins {
  'GET /session': {
    input: object;
    output: {
      readonly user: {
        readonly identity: string;
        readonly name: string | null;
        readonly displayName: string;
        readonly role: Role;
      } | null;
      readonly csrfToken: string | null;
      readonly oidc: { readonly label: string } | null;
      readonly needsFirstAdmin: boolean;
    };
  };
  'POST /login': { input: { name: string; password: string }; output: LoggedIn };
  'POST /session/claim': { input: { link: string; name?: string; password: string }; output: LoggedIn };
  'POST /logout': { input: { everywhere?: boolean }; output: object };
}

type Overview = {
  [R in keyof typeof OVERVIEW]: {
    input: (typeof OVERVIEW)[R]['input']['_zod']['input'];
    output: (typeof OVERVIEW)[R]['output']['_zod']['output'];
  };
};

export type Pending = Logins & Overview;
