// What to do about the errors of a TLS connection to brokers, by code.
import { tlsHelp } from '../../core/net/tls-faults.ts';

const CLIENT = 'the brokers do not accept the client certificate; correct `tls.cert` and `tls.key`';

export const TLS_HELP = tlsHelp({
  untrusted: 'the certificate of the broker is not trusted; set `tls.ca` to the file of its authority',
  expired: 'the certificate of the broker has expired; renew it there',
  notYetValid: 'the certificate of the broker is not valid yet; check the clocks',
  otherName:
    'the certificate of the broker is for another host name; use that name in `brokers` and in advertised.listeners',
  noTls: 'the broker does not speak TLS at this port; use its TLS port, or remove `tls`',
  clientMissing: CLIENT,
  clientRefused: CLIENT,
  clientExpired: 'the client certificate has expired; renew `tls.cert`',
  otherKey: '`tls.key` is not the key of `tls.cert`',
});
