import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestServer } from "../tests/support/server";
import { LEVELS, question, WARM_UP, WORD } from "./workload";

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

export async function startAimock(): Promise<Upstream> {
  const folder = mkdtempSync(join(tmpdir(), "quarterdeck-bench-"));
  const fixtures = [...LEVELS, WARM_UP].map((level) => ({
    match: { userMessage: question(level) },
    response: { content: WORD.repeat(level.tokens) },
    latency: level.paceMs,
    chunkSize: WORD.length,
  }));
  writeFileSync(join(folder, "bench.json"), JSON.stringify({ fixtures }));
  const port = 20_000 + Math.floor(Math.random() * 20_000);
  const args = ["tests/node_modules/.bin/llmock", "-p", String(port), "-f", folder, "--journal-max", "10"];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  await portOf(child, new RegExp(`127\\.0\\.0\\.1:(${port})`));
  const stop = () => {
    child.kill();
    rmSync(folder, { recursive: true, force: true });
  };
  return { name: "aimock", origin: `http://127.0.0.1:${port}`, stop };
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
