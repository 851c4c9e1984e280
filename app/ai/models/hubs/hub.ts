import type { Hub, HubModel } from "../catalogue.schema";

/** A model hub: one file and a line in index.server.ts. */
export interface ModelHub {
  hub: Hub;
  path: string;
  /** @throws ZodError for an unexpected response */
  parse(body: unknown): HubModel[];
  /** Used when the hub is unreachable. */
  fallback: readonly HubModel[];
}
