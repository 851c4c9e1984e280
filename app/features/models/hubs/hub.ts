import type { Hub, HubModel } from "../catalogue.schema";

/** A public hub of models: one file here and one line in index.server.ts. */
export interface ModelHub {
  hub: Hub;
  path: string;
  /** Reads its answer. @throws ZodError for one that isn't what the hub says it is */
  read(answer: unknown): HubModel[];
  /** What is in for its list where it can't be had. */
  fallback: readonly HubModel[];
}
