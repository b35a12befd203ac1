// Name and type of a file, out of what its host or its sender says of it: both travel on to the service, so they are
// made harmless.

const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/;
const MAX_NAME = 100;

/** Endings of what chat channels take, for files whose address has none. */
const ENDINGS: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
  'image/gif': 'gif',
  'video/mp4': 'mp4',
  'video/3gpp': '3gp',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'audio/mp4': 'm4a',
  'audio/aac': 'aac',
  'application/pdf': 'pdf',
  'text/plain': 'txt',
  'text/csv': 'csv',
};

/** The media type without its parameters; `application/octet-stream` for none, or one that is none. */
export function contentTypeOf(header: string | undefined): string {
  const type = header?.split(';')[0]?.trim().toLowerCase() ?? '';
  return MEDIA_TYPE.test(type) ? type : 'application/octet-stream';
}

/**
 * The file's name: of Content-Disposition (RFC 6266), else the last part of its address, else `file` with an ending
 * that goes with the type. No path, no control or formatting characters, at most 100 characters.
 */
export function fileNameOf(disposition: string | undefined, url: URL, contentType: string): string {
  const last = url.pathname.split('/').at(-1) ?? '';
  return uploadNameOf(disposition, decoded(last) ?? last, contentType);
}

/**
 * The same for a file that is uploaded.
 * @param given used where Content-Disposition names none
 */
export function uploadNameOf(disposition: string | undefined, given: string, contentType: string): string {
  const name = harmless(dispositionName(disposition) ?? '') || harmless(given) || 'file';
  const ending = ENDINGS[contentType];
  return ending === undefined || /\.[A-Za-z0-9]{1,8}$/.test(name) ? name : `${name}.${ending}`;
}

function dispositionName(header: string | undefined): string | null {
  if (header === undefined) return null;
  // RFC 8187: a language may stand between the quotes.
  const extended = /;\s*filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i.exec(header)?.[1];
  const name = extended === undefined ? null : decoded(extended);
  if (name !== null) return name;
  const quoted = /;\s*filename\s*=\s*"((?:[^"\\]|\\.)*)"/i.exec(header)?.[1];
  if (quoted !== undefined) return asUtf8(quoted.replace(/\\(.)/g, '$1'));
  const bare = /;\s*filename\s*=\s*([^;\s"]+)/i.exec(header)?.[1];
  return bare === undefined ? null : asUtf8(bare);
}

/** Headers come as Latin-1, and most senders write UTF-8 into them. */
function asUtf8(text: string): string {
  const codes = [...text].map((char) => char.codePointAt(0) as number);
  if (!codes.some((code) => code > 0x7f) || codes.some((code) => code > 0xff)) return text;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(codes));
  } catch (error) {
    if (error instanceof TypeError) return text;
    throw error;
  }
}

/** Percent-decoded; null when that makes no text. */
function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}

/** Empty when nothing is left. The end with the ending is kept of a name that is too long. */
function harmless(name: string): string {
  const plain = name
    .normalize('NFC')
    .replace(/^.*[/\\]/s, '')
    .replace(/[\p{C}\p{Zl}\p{Zp}"<>:|?*%]/gu, '')
    .replace(/^[.\s]+|[.\s]+$/g, '');
  return [...plain].slice(-MAX_NAME).join('');
}
