// Passwords that leaks have shown to be common, of the length that Sluice accepts. common-passwords.json names the source.
import { gunzipSync } from 'node:zlib';
import list from './common-passwords.json' with { type: 'json' };

/** In lower case and NFKC, most common ones first. */
export function commonPasswords(): readonly string[] {
  return gunzipSync(Buffer.from(list.gzip, 'base64')).toString('utf8').split('\n');
}
