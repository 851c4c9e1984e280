import { type ChildProcess, spawn } from "node:child_process";
import type { TestServer } from "../tests/support/server";

export interface Upstream {
  name: string;
  origin: string;
  stop(): void;
}

/** Waits for the line with the child process's port. */
function portOf(child: ChildProcess, pattern: RegExp): Promise<number> {
  return new Promise((resolve, reject) => {
    let output = "";
    const read = (chunk: Buffer) => {
      output += chunk.toString();
      const port = pattern.exec(output)?.[1];
      if (port) resolve(Number(port));
    };
    child.stdout?.on("data", read);
    child.stderr?.on("data", read);
    child.once("exit", () => reject(new Error(`The upstream didn't start.\n${output}`)));
  });
}

export async function startOwn(): Promise<Upstream> {
  const child = spawn(process.execPath, ["--import", "tsx", "bench/sse-upstream.ts"], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const port = await portOf(child, /ready at (\d+)/);
  return { name: "sse-upstream", origin: `http://127.0.0.1:${port}`, stop: () => void child.kill() };
}

/** Adds the upstream as a custom provider that serves `model`. */
export async function addProvider(server: TestServer, upstream: Upstream, model: string): Promise<void> {
  const config = { baseUrl: `${upstream.origin}/v1`, models: [model] };
  const json = { provider: "custom", displayName: upstream.name, config };
  const response = await server.ask("/api/providers", { as: "owner", json });
  if (response.status !== 201) throw new Error(`No provider was added: ${await response.text()}`);
}
