import { decodeText } from "~/core/charset";
import { AppError } from "~/core/errors";
import { parseWellFormed } from "~/core/well-formed";

/** @throws AppError for an error status, with the body's start */
export async function readText(response: Response): Promise<string> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  const text = decodeText(bytes, response.headers.get("content-type") ?? "");
  if (response.ok) return text;
  const status = `${response.status} ${response.statusText.slice(0, 100)}`.trim();
  const detail = text.slice(0, 1000).replaceAll(/\s+/g, " ").trim().slice(0, 300);
  throw new AppError(
    "provider_unavailable",
    `${new URL(response.url).host} returned HTTP ${status}${detail ? `: ${detail}` : "."}`,
  );
}

export async function readJson(response: Response): Promise<unknown> {
  const text = await readText(response);
  try {
    return parseWellFormed(text);
  } catch (cause) {
    throw new AppError("provider_unavailable", `${new URL(response.url).host} didn't return JSON.`, {
      cause,
    });
  }
}
