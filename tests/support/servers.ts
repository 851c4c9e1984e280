import { startServer, type TestServer } from "./server";

/** The name that tests have who share a server with most others. */
const EVERYBODY = "everybody";

export interface Servers {
  /** The server of this name, started when it is first asked for. */
  of(name: string): Promise<TestServer>;
  close(): Promise<void>;
}

/**
 * The servers of one of Playwright's workers: everybody's, which stays, and that of the file whose turn it is. Another
 * file's server ends the one before it, so that no more than two run beside each other.
 */
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
