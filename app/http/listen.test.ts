import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { listen } from "./listen.server";

const HOST = "127.0.0.1";

describe("listening", () => {
  const servers: Server[] = [];
  const open = () => {
    const server = createServer();
    servers.push(server);
    return server;
  };
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });

  async function taken(): Promise<{ other: Server; port: number }> {
    const other = open().listen(0, HOST);
    await once(other, "listening");
    return { other, port: (other.address() as AddressInfo).port };
  }

  it("returns the port that was free, and keeps it", async () => {
    const server = open();
    const port = await listen(server, { port: 0, host: HOST });
    expect(port).toBeGreaterThan(0);
    expect(await listen(server, { port: 0, host: HOST })).toBe(port);
  });

  it("waits a moment for a port that another process is giving up", async () => {
    const { other, port } = await taken();
    const waiting = listen(open(), { port, host: HOST }, 10_000);
    setTimeout(() => other.close(), 50);
    expect(await waiting).toBe(port);
  });

  it("names a taken port and the next one", async () => {
    const { port } = await taken();
    await expect(listen(open(), { port, host: HOST }, 0)).rejects.toThrow(
      `Port ${port} is taken. Stop the other program, or set PORT to another one, for example PORT=${port + 1}.`,
    );
  });

  it("names a host that isn't this machine's", async () => {
    // TEST-NET-1 (RFC 5737).
    await expect(listen(open(), { port: 0, host: "192.0.2.1" })).rejects.toThrow(
      "HOST is 192.0.2.1, which isn't an address of this machine.",
    );
  });

  it("names a port that is the administrator's", async () => {
    const server = open();
    server.listen = () => {
      const error = Object.assign(new Error("listen EACCES: permission denied 0.0.0.0:80"), {
        code: "EACCES",
      });
      setImmediate(() => server.emit("error", error));
      return server;
    };
    await expect(listen(server, { port: 80, host: "0.0.0.0" })).rejects.toThrow(
      "Port 80 is reserved: this user may not listen on it. Set PORT to one above 1023",
    );
  });
});
