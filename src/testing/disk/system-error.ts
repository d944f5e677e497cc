/** An error as the file system throws it. */
export function systemError(code: string, what: string): Error & { readonly code: string } {
  return Object.assign(new Error(`${code}: ${what}`), { code });
}
