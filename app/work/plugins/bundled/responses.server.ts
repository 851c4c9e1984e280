import { decodeText } from "~/core/charset";
import { AppError } from "~/core/errors";
import { clip } from "~/core/well-formed";
import { readOutsideText } from "./outside-text.server";

/** @throws AppError for an error status, with the body's start */
export async function readText(response: Response): Promise<string> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  const text = decodeText(bytes, response.headers.get("content-type") ?? "");
  if (response.ok) return text;
  const status = `${response.status} ${response.statusText.slice(0, 100)}`.trim();
  const detail = clip(text.slice(0, 1000).replaceAll(/\s+/g, " ").trim(), 300);
  throw new AppError(
    "provider_unavailable",
    `${new URL(response.url).host} returned HTTP ${status}${detail ? `: ${detail}` : "."}`,
  );
}

/** @throws AppError as `readText`; `provider_unavailable` for malformed JSON or too many values */
export async function readJson(response: Response, signal: AbortSignal): Promise<unknown> {
  const text = await readText(response);
  try {
    return await readOutsideText({ kind: "json", text }, signal);
  } catch (error) {
    if (!(error instanceof AppError && error.code === "invalid")) throw error;
    const { host } = new URL(response.url);
    throw new AppError("provider_unavailable", `${host} didn't return usable JSON. ${error.message}`);
  }
}
