import { z } from "zod";
import { now } from "~/core/clock.server";
import { db } from "~/core/db.server";
import { guardedFetch } from "~/core/egress/index.server";
import { env } from "~/core/env.server";
import { parseJson } from "~/core/json";
import { hasProviderOfType } from "./models.repo.server";
import { localOllama } from "./providers/local-ollama.provider.server";

const DEFAULT_URL = "http://127.0.0.1:11434";
/** Cache time, in ms. */
const CACHE_TIME = 60_000;
/** A local server answers within milliseconds, on a busy machine within seconds. */
const LIMITS = { timeoutMs: 5000, silenceMs: 5000, maxBytes: 1_000_000, maxRedirects: 0 };

const Version = z.object({ version: z.string() });
const Tags = z.object({ models: z.array(z.object({ name: z.string().max(200) })).max(1000) });

interface DetectedOllama {
  baseUrl: string;
  models: string[];
}

interface Detection {
  at: number;
  result: DetectedOllama | undefined;
}

let lastDetection: Detection | undefined;
let running: Promise<void> | undefined;

async function read<T extends z.ZodType>(baseUrl: string, path: string, schema: T): Promise<z.infer<T>> {
  const fetchLocal = guardedFetch("detect:ollama", { ...LIMITS, allowOrigins: [baseUrl] });
  const response = await fetchLocal(baseUrl + path, { headers: { accept: "application/json" } });
  const body = await response.text();
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  return schema.parse(parseJson(body));
}

async function detect(): Promise<DetectedOllama | undefined> {
  const baseUrl = env().OLLAMA_URL ?? DEFAULT_URL;
  try {
    await read(baseUrl, "/api/version", Version);
    const { models } = await read(baseUrl, "/api/tags", Tags);
    return { baseUrl, models: models.map(({ name }) => name) };
  } catch {
    // Unreachable, or not Ollama.
    return undefined;
  }
}

/** Detects a local Ollama unless one is configured. Never rejects. */
export function detectOllama(): Promise<void> {
  if (hasProviderOfType(db(), localOllama.value)) {
    lastDetection = undefined;
    return Promise.resolve();
  }
  running ??= detect()
    .then((result) => {
      lastDetection = { at: now(), result };
    })
    .finally(() => {
      running = undefined;
    });
  return running;
}

/** The last detection; refreshes in the background after a minute. */
export function detectedOllama(): DetectedOllama | undefined {
  if (!lastDetection || now() - lastDetection.at > CACHE_TIME) void detectOllama();
  return lastDetection?.result;
}
