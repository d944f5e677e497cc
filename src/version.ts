/**
 * Worldline's version, repeated here so that `--version` does not have to read package.json. A test ensures that the
 * two versions match.
 */
export const version = "0.1.0";
