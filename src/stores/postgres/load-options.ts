/** Apart from what loads the package: these are in the declarations of the library, which must not need the types of `pg`. */
export interface LoadOptions {
  /** A folder whose packages may be run, and which is asked when there is no `pg` beside Worldline. */
  readonly packages?: string;
}
