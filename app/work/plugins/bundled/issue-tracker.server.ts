import { z } from "zod";
import { AppError } from "~/core/errors";
import type { definePlugin, PluginContext } from "../plugin";
import { readJson } from "./outside-text.server";

interface TrackerCall {
  /** JSON for a post; absent for a read. */
  body: unknown;
  headersFor(token: string | undefined): Record<string, string>;
}

/**
 * Uses the configured URL and token.
 * @throws AppError `provider_key` for a post without a token, `provider_unavailable`
 */
export async function callTracker(
  { settings, fetch, key, signal }: PluginContext,
  path: string,
  { body, headersFor }: TrackerCall,
): Promise<unknown> {
  const base = String(settings.address).replace(/\/+$/, "");
  const url = new URL(`${base}${path}`);
  const token = key("token", url.origin);
  if (body && !token)
    throw new AppError(
      "provider_key",
      "Creating issues needs a token. An admin can add one under Extensions.",
    );
  const headers = headersFor(token);
  const posted = { ...headers, "content-type": "application/json" };
  const init = body ? { method: "POST", headers: posted, body: JSON.stringify(body) } : { headers };
  return readJson(await fetch(url, { ...init, signal }), signal);
}

export const IssueTitle = z.string().trim().min(1).max(250);
export const IssueBody = z.string().max(20_000).default("").describe("Markdown");
export const IssueState = z.enum(["open", "closed", "all"]).default("open");
export const IssueLimit = z.number().int().min(1).max(50).default(20);
export const IssueNumber = z.number().int().min(1).max(1_000_000_000);

/** The parts of a tracker's manifest that `callTracker` relies on. */
export function trackerManifest(label: string, hint: string, address: string, tokenHint: string) {
  return {
    icon: "CircleDot",
    categories: ["developer"],
    settings: [
      { name: "address", label, hint, required: true, control: { kind: "url", default: address } },
      { name: "token", label: "Token", hint: tokenHint, control: { kind: "key" } },
    ],
    requests: { hosts: ["{address}"], keys: ["token"], effects: ["outside"] },
  } satisfies Partial<Parameters<typeof definePlugin>[0]>;
}
