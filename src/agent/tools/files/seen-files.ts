/** What the model knows of files, on this branch: going back forgets what was read on the way. */
export interface SeenFiles {
  /** The sha256 in hex of a file's bytes as the model saw it last; undefined when it never did. The path is a real one. */
  shaOf(path: string): Promise<string | undefined>;
}
