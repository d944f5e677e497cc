/** Written here rather than read from package.json, so that `--version` opens no file; a test ensures that both are the same. */
export const version = "0.1.0";
