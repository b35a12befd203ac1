// What to do about a connection to PostgreSQL that fails, by SQLSTATE or by the code of the system or of TLS.
import { tlsHelp } from '../net/tls-faults.ts';

export const CONNECTION_HELP: Readonly<Record<string, string>> = {
  ...tlsHelp({
    untrusted: 'add sslrootcert=FILE of its authority to DATABASE_URL, or set NODE_EXTRA_CA_CERTS',
    expired: 'renew the certificate of the server',
    notYetValid: 'check the clocks of both machines',
    otherName: 'use the host name of the certificate in DATABASE_URL',
    noTls: 'correct the port in DATABASE_URL',
    clientMissing:
      'add sslcert=FILE and sslkey=FILE to DATABASE_URL: the server asks for a client certificate',
    clientRefused: 'correct sslcert and sslkey in DATABASE_URL: the server does not accept the certificate',
    clientExpired: 'renew the file of sslcert in DATABASE_URL: it has expired',
    otherKey: 'correct sslcert and sslkey in DATABASE_URL: they do not belong together',
  }),
  '28000': 'check the user, pg_hba.conf, and sslmode, sslcert and sslkey in DATABASE_URL',
  '28P01': 'correct user or password in DATABASE_URL',
  '3D000': 'correct the name of the database in DATABASE_URL, or create it',
};
