/** The database connection of a search thread; its queries are in `*.queries.ts`. */
export interface Reader {
  hasVectors: boolean;
}
