// The policy of the page allows style elements only with the nonce that the server has chosen for this answer.

export function styleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
}

/** For the library by which dialogs keep the page from scrolling: it reads the nonce from this global. */
export function publishNonce(): void {
  Object.assign(globalThis, { __webpack_nonce__: styleNonce() });
}
