import { startServer, type TestServer } from "./server";

/** Name of the shared server. */
const EVERYBODY = "everybody";

export interface Servers {
  of(name: string): Promise<TestServer>;
  close(): Promise<void>;
}

/** A worker's servers: the shared one and the current file's, so at most two. */
export function serversFor(env: Record<string, string>): Servers {
  const running = new Map<string, Promise<TestServer>>();
  const end = async (name: string) => {
    const server = running.get(name);
    running.delete(name);
    // The caller reports a failed start.
    await server?.then((started) => started.close()).catch(() => undefined);
  };
  return {
    async of(name) {
      const known = running.get(name);
      if (known) return known;
      const others = [...running.keys()].filter((other) => other !== EVERYBODY);
      if (name !== EVERYBODY) for (const other of others) await end(other);
      const server = startServer({ env });
      running.set(name, server);
      return server;
    },
    async close() {
      await Promise.all([...running.keys()].map(end));
    },
  };
}
