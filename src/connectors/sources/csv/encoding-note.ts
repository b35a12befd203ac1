// Reports the encoding in which a file was read, if it is not obvious.
import type { SourceNote } from '../../../core/source.ts';
import { type FoundEncoding, wholePercents } from './encoding.ts';

/** Below this confidence, another encoding explains the same bytes about as well. */
const SURE = 0.75;

/** Nothing for valid UTF-8 and for a configured encoding. */
export function describeEncoding(found: FoundEncoding): SourceNote[] {
  const { encoding, by, sure, other } = found;
  if (by === 'configuration' || (encoding === 'utf-8' && sure === 1)) return [];
  const percent = wholePercents(sure);
  const sureShare = percent / 100;
  if (encoding === 'utf-8') {
    const reason = `read as utf-8 (${percent} % of its accented characters are); rows with other bytes are rejected`;
    return [{ code: 'MIXED_ENCODING', reason, params: { sureShare } }];
  }
  if (by !== 'detector')
    return [
      {
        code: 'ENCODING',
        reason: `read as ${encoding} (${by === 'mark' ? 'by its byte order mark' : 'by its zero bytes'})`,
        params: { which: [by], encoding },
      },
    ];
  const rest = other === undefined ? '' : `; ${other} is next`;
  const params = { encoding, sureShare };
  if (sure >= SURE) {
    const reason = `read as ${encoding} (detected, ${percent} % sure${rest})`;
    return [{ code: 'ENCODING', reason, params: { which: ['detected'], ...params } }];
  }
  const reason = `read as ${encoding}, but only ${percent} % sure${rest}: if names look wrong, set \`encoding\` on the source`;
  return [{ code: 'ENCODING_UNSURE', reason, params }];
}
