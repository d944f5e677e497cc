/** Written here and not read from package.json, so that `--version` opens no file; a test holds the two together. */
export const version = "0.1.0";
