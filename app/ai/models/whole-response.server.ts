import type { z } from "zod";
import { AppError } from "~/core/errors";
import { parseJson } from "~/core/parse";
import { type ProviderResponse, readBytes } from "./provider-client.service.server";
import { MalformedResponse } from "./provider-errors.server";
import type { RouteTarget } from "./router/targets.server";

// What calls of models share whose request and response are each one piece.

const MEGABYTE = 1024 * 1024;

/** A form as bytes, with the headers that say how it is divided. */
export async function encodeForm(form: FormData) {
  const encoded = new Response(form);
  return {
    body: new Uint8Array(await encoded.arrayBuffer()),
    headers: { "content-type": encoded.headers.get("content-type") ?? "" },
  };
}

/** @param max in bytes @throws AppError `provider_unavailable` beyond it; as `readBytes` */
export async function readWhole(
  response: ProviderResponse,
  { displayName, silence }: RouteTarget,
  max: number,
): Promise<Buffer> {
  const { betweenBytesMs } = silence();
  const bytes = await readBytes(response, { firstByteMs: betweenBytesMs, betweenBytesMs, max });
  if (bytes.byteLength <= max) return bytes;
  const limit = `${Math.round(max / MEGABYTE)} MB`;
  throw new AppError("provider_unavailable", `${displayName} sent a response of more than ${limit}.`);
}

/** @param maxValues of the JSON @throws MalformedResponse */
export function parseWhole<T extends z.ZodType>(schema: T, text: string, maxValues: number): z.infer<T> {
  try {
    return schema.parse(parseJson(text, maxValues));
  } catch {
    // Its cause is left out: it would be reported as a fault of the caller's body.
    throw new MalformedResponse();
  }
}
