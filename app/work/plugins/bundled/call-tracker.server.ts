import { AppError } from "~/core/errors";
import type { PluginContext } from "../plugin";
import { readJson } from "./responses.server";

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
