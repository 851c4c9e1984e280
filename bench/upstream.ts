import { fork } from "node:child_process";
import { once } from "node:events";
import type { TestServer } from "../tests/support/server";

export interface Upstream {
  origin: string;
  stop(): void;
}

export async function startUpstream(): Promise<Upstream> {
  const child = fork("bench/sse-upstream.ts", { execArgv: ["--import", "tsx"] });
  const [port] = await once(child, "message");
  return { origin: `http://127.0.0.1:${port}`, stop: () => void child.kill() };
}

/** Adds the upstream as a custom provider that serves `model`. */
export async function addProvider(server: TestServer, upstream: Upstream, model: string): Promise<void> {
  const config = { baseUrl: `${upstream.origin}/v1`, models: [model] };
  const json = { provider: "custom", displayName: "Bench", config };
  const response = await server.ask("/api/providers", { as: "owner", json });
  if (response.status !== 201) throw new Error(`No provider was added: ${await response.text()}`);
}
