import { clip } from "~/core/well-formed";
/** Null if both are. */
export const sum = (a: number | null, b: number | null) => (a === null ? b : b === null ? a : a + b);

/** In characters of JSON. */
const MAX_INPUT_LENGTH = 256 * 1024;

/** Large configurations are truncated. */
export function boundInput(config: unknown): unknown {
  const json = JSON.stringify(config ?? null);
  return json.length <= MAX_INPUT_LENGTH ? (config ?? null) : { truncated: true, head: clip(json, 2000) };
}
