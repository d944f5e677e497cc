/** Where an example stores its executions: the same three options for every store. */
export interface Place {
  /** `files`, `sqlite:<path>` or `postgres://…` */
  readonly store: string;
  /** The folder where Worldline stores its data. */
  readonly home: string;
  /** The folder that the program works in. */
  readonly workspace: string;
}

/** Receives an example's output, line by line. */
export type Say = (line: string) => void;

export type Example = (place: Place, say: Say) => Promise<void>;
