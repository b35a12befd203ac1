// Codes of a service that is down. Nobody has to do anything here: the calls are tried again until it answers.
const AWAY = /^(?:TRANSPORT_|HTTP_5\d\d$)/;

export function isAwayCode(code: string | null): boolean {
  return code !== null && AWAY.test(code);
}
