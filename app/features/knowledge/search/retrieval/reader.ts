/** The database connection of a search thread; its queries are in `*.queries.ts`. */
export interface Reader {
  /** Whether sqlite-vec is loaded. */
  hasVectors: boolean;
}
