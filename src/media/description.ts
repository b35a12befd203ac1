// Name and type of a file, out of what its host says of it: both travel on to the service, so they are made harmless.

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
  const name = harmless(dispositionName(disposition) ?? '') || harmless(decoded(last) ?? last) || 'file';
  const ending = ENDINGS[contentType];
  return ending === undefined || /\.[A-Za-z0-9]{1,8}$/.test(name) ? name : `${name}.${ending}`;
}

function dispositionName(header: string | undefined): string | null {
  if (header === undefined) return null;
  const extended = /;\s*filename\*\s*=\s*utf-8''([^;\s]+)/i.exec(header)?.[1];
  const name = extended === undefined ? null : decoded(extended);
  if (name !== null) return name;
  const quoted = /;\s*filename\s*=\s*"((?:[^"\\]|\\.)*)"/i.exec(header)?.[1];
  if (quoted !== undefined) return quoted.replace(/\\(.)/g, '$1');
  return /;\s*filename\s*=\s*([^;\s"]+)/i.exec(header)?.[1] ?? null;
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
