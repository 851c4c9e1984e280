import { bundledWorker, WorkerPool } from "~/core/worker-pool.server";
import { type ListingTask, ParsedListing } from "./listing-task";

/** Up to 30 MB of untrusted XML. */
const pool = new WorkerPool<ListingTask, ParsedListing>({
  name: "listing",
  entry: bundledWorker("listing"),
  output: ParsedListing,
  size: 1,
  timeoutMs: 20_000,
  maxHeapMb: 256,
});

export async function readListing(
  response: Response,
  shape: Omit<ListingTask, "bytes" | "host">,
  signal: AbortSignal,
): Promise<ParsedListing> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  return pool.run({ ...shape, bytes, host: new URL(response.url).host }, signal);
}
