/**
 * Worldline's version, repeated here so that `--version` does not have to read package.json. A test ensures that both
 * versions are the same.
 */
export const version = "0.1.0";
