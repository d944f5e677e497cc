/** Where an example keeps its executions: the same three for every store. */
export interface Place {
  /** `files`, `sqlite:<path>` or `postgres://…` */
  readonly store: string;
  /** The folder that Worldline keeps its things in. */
  readonly home: string;
  /** The folder that the program works in. */
  readonly workspace: string;
}

/** Takes what an example has to say, line by line. */
export type Say = (line: string) => void;

export type Example = (place: Place, say: Say) => Promise<void>;
