import { createServer, request as forward } from "node:http";
import type { AddressInfo } from "node:net";

export const PROXY_KINDS = ["keeps", "strips"] as const;
export type ProxyKind = (typeof PROXY_KINDS)[number];

export interface FrontProxy {
  /** With the base path, without a slash at the end. */
  address: string;
  /** What was asked for outside the base path, which is another program's. */
  strayed: string[];
  close(): Promise<void>;
}

/**
 * A proxy as in docs/operating.md: what is below the path goes to the console, all else is somebody else's.
 * @param kind whether the console gets the path
 * @param target of the console; read with each request
 */
export async function startProxy(path: string, kind: ProxyKind, target: () => string): Promise<FrontProxy> {
  const strayed: string[] = [];
  const server = createServer((incoming, outgoing) => {
    const { url = "/", method, headers } = incoming;
    const rest = url.slice(path.length);
    if (!url.startsWith(path) || !/^(?:$|[/?])/.test(rest)) {
      strayed.push(`${method} ${url}`);
      outgoing.writeHead(404).end("Somebody else's");
      return;
    }
    const stripped = rest.startsWith("/") ? rest : `/${rest}`;
    const { hostname, port } = new URL(target());
    const sent = forward(
      { hostname, port, method, path: kind === "strips" ? stripped : url, headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
        answer.pipe(outgoing);
      },
    );
    sent.on("error", () => outgoing.destroy());
    outgoing.on("close", () => sent.destroy());
    incoming.pipe(sent);
  });
  // The console's `Keep-Alive`, which it passes on, promises more than the five seconds that Node keeps a connection.
  server.keepAliveTimeout = 0;
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}${path}`,
    strayed,
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

export async function freePort(): Promise<string> {
  const server = createServer();
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return String(port);
}
