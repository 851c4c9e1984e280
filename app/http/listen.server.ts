import { once } from "node:events";
import type { Server } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

/** In ms. A killed process's lock can be free a moment before its port. */
const PATIENCE = 2000;

interface Address {
  port: number;
  host: string;
}

const REMEDIES: Readonly<Record<string, (address: Address) => string>> = {
  EADDRINUSE: ({ port }) =>
    `Port ${port} is taken. Stop the other program, or set PORT to another one, for example PORT=${port < 65_535 ? port + 1 : 3000}.`,
  EACCES: ({ port }) =>
    `Port ${port} is reserved: this user may not listen on it. Set PORT to one above 1023, for example PORT=3000, and put a reverse proxy in front.`,
  EADDRNOTAVAIL: ({ host }) =>
    `HOST is ${host}, which isn't an address of this machine. Set it to 0.0.0.0 for all of its addresses, or 127.0.0.1 for this machine only.`,
  ENOTFOUND: ({ host }) =>
    `HOST is ${host}, which can't be resolved. Set it to 0.0.0.0 for all addresses of this machine, or 127.0.0.1 for this machine only.`,
  EAFNOSUPPORT: ({ host }) =>
    `HOST is ${host}, but this machine has no IPv6. Set it to 0.0.0.0 for all of its addresses, or 127.0.0.1 for this machine only.`,
};

function explain(error: unknown, address: Address): Error {
  const { code = "", message } = error as NodeJS.ErrnoException;
  const unknown = `Port ${address.port} of ${address.host} can't be used: ${message}. Set PORT or HOST.`;
  return new Error(REMEDIES[code]?.(address) ?? unknown, { cause: error });
}

function portOf(server: Server): number {
  const address = server.address();
  if (typeof address !== "object" || !address) throw new Error("The server listens on no port.");
  return address.port;
}

/** @returns the port, also if 0 was asked for @throws Error with one line for the operator */
export async function listen(server: Server, address: Address, patienceMs = PATIENCE): Promise<number> {
  const deadline = Date.now() + patienceMs;
  while (!server.listening) {
    try {
      server.listen(address);
      await once(server, "listening");
    } catch (error) {
      const mayGetFree = (error as NodeJS.ErrnoException).code === "EADDRINUSE" && Date.now() < deadline;
      if (!mayGetFree) throw explain(error, address);
      await sleep(100);
    }
  }
  return portOf(server);
}
