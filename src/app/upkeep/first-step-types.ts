/** What can be tried at once, without any model. All of it is real. */
export interface FirstSteps {
  /** Breaks a sample project in a random one of its ways, and has the finder find it; lines as they come. */
  findInSample(tell: (line: string) => void, signal: AbortSignal): Promise<void>;
  /** A folder with a small project, to break and to go back in; opened as the workspace. Resolves with its path. */
  playground(): Promise<string>;
  /** Opens another folder as the workspace, with its own session last used, or a new one. */
  openFolder(folder: string): Promise<void>;
}
