import { join } from "node:path";
import { closeDatabase, openConnection, setDatabase } from "~/core/db.server";
import { setEnv } from "~/core/env.server";
import type { TestServer } from "./server";

/** Writes into the database of a running server, as what takes too long through its API. */
export function writeDatabase<T>({ dataDir }: TestServer, write: () => T): T {
  setEnv({ NODE_ENV: "test", LOG_LEVEL: "silent", DATA_DIR: dataDir });
  setDatabase(openConnection(join(dataDir, "quarterdeck.sqlite")));
  try {
    return write();
  } finally {
    closeDatabase();
    setEnv(undefined);
  }
}
