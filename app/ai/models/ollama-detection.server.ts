import { z } from "zod";
import { now } from "~/core/clock.server";
import { db } from "~/core/db.server";
import { guardedFetch } from "~/core/egress/index.server";
import { env } from "~/core/env.server";
import { hasProviderOfType } from "./models.repo.server";
import { listNames, localOllama, readVersion } from "./providers/local-ollama.provider.server";

const DETECTED_URL = "http://127.0.0.1:11434";
/** Cache time of a detection, in ms. */
const CACHE_TIME = 60_000;
/** A local server answers within milliseconds, on a busy machine within seconds. */
const LIMITS = { timeoutMs: 5000, silenceMs: 5000, maxBytes: 1_000_000, maxRedirects: 0 };

const DetectedNames = z.array(z.string().max(200)).max(1000);

interface DetectedOllama {
  baseUrl: string;
  models: string[];
}

let lastDetection: { at: number; result: DetectedOllama | undefined } | undefined;
let running: Promise<void> | undefined;

async function findOllama(): Promise<DetectedOllama | undefined> {
  const baseUrl = env().OLLAMA_URL ?? DETECTED_URL;
  const fetch = guardedFetch("detect:ollama", { ...LIMITS, allowOrigins: [baseUrl] });
  const call = { baseUrl, apiKey: undefined, fetch, config: {} };
  try {
    await readVersion(call);
    return { baseUrl, models: DetectedNames.parse(await listNames(call)) };
  } catch {
    // The server is unreachable or isn't Ollama.
    return undefined;
  }
}

/** Detects a local Ollama unless one is configured. Never rejects. */
export function detectOllama(): Promise<void> {
  if (hasProviderOfType(db(), localOllama.value)) {
    lastDetection = undefined;
    return Promise.resolve();
  }
  running ??= findOllama()
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
