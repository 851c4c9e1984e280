import { z } from "zod";
import { now } from "~/core/clock.server";
import { db } from "~/core/db.server";
import { guardedFetch } from "~/core/egress/index.server";
import { env } from "~/core/env.server";
import { parseWellFormed } from "~/core/well-formed";
import { hasProviderOfType } from "./models.repo.server";
import { localOllama } from "./providers/local-ollama.provider.server";

const USUAL = "http://127.0.0.1:11434";
/** Cache time, in ms. */
const FRESH = 60_000;
/** A local server answers within milliseconds. */
const LIMITS = { timeoutMs: 2000, silenceMs: 2000, maxBytes: 1_000_000, maxRedirects: 0 };

const Version = z.object({ version: z.string() });
const Tags = z.object({ models: z.array(z.object({ name: z.string().max(200) })).max(1000) });

interface FoundOllama {
  baseUrl: string;
  models: string[];
}

interface Look {
  at: number;
  result: FoundOllama | undefined;
}

let last: Look | undefined;
let looking: Promise<void> | undefined;

async function read<T extends z.ZodType>(baseUrl: string, path: string, schema: T): Promise<z.infer<T>> {
  const ask = guardedFetch("detect:ollama", { ...LIMITS, allowOrigins: [baseUrl] });
  const response = await ask(baseUrl + path, { headers: { accept: "application/json" } });
  const body = await response.text();
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  return schema.parse(parseWellFormed(body));
}

async function look(): Promise<FoundOllama | undefined> {
  const baseUrl = env().OLLAMA_URL ?? USUAL;
  try {
    await read(baseUrl, "/api/version", Version);
    const { models } = await read(baseUrl, "/api/tags", Tags);
    return { baseUrl, models: models.map(({ name }) => name) };
  } catch {
    // Unreachable, or not an Ollama.
    return undefined;
  }
}

/** Detects a local Ollama unless one is set up. Never fails; takes a second at most. */
export function lookForOllama(): Promise<void> {
  if (hasProviderOfType(db(), localOllama.value)) {
    last = undefined;
    return Promise.resolve();
  }
  looking ??= look()
    .then((result) => {
      last = { at: now(), result };
    })
    .finally(() => {
      looking = undefined;
    });
  return looking;
}

/** The last detection; refreshes in the background after a minute. */
export function foundOllama(): FoundOllama | undefined {
  if (!last || now() - last.at > FRESH) void lookForOllama();
  return last?.result;
}
