import { parseWellFormed } from "~/core/well-formed";
import { bundledWorker, WorkerPool } from "~/core/worker-pool.server";
import { Rendering, type RenderTask, WrittenTexts } from "./render-task";

export const RENDER_TOOK_TOO_LONG = "Formatting the text took too long.";

const poolOf = (name: string) =>
  new WorkerPool<RenderTask, Rendering>({
    name,
    entry: bundledWorker("markdown"),
    output: Rendering,
    size: 1,
    // A backstop; the budget of a text is far smaller.
    timeoutMs: 5000,
    tooLong: RENDER_TOOK_TOO_LONG,
    maxHeapMb: 256,
    maxQueue: 100,
  });

const members = poolOf("markdown");
const visitors = poolOf("markdown of visitors");

/** @throws AppError `unavailable` when it takes too long or too much waits */
export function renderInThread(task: RenderTask): Promise<Rendering> {
  return members.run(task);
}

/**
 * Texts as HTML for people outside, in a thread that members don't wait for.
 * @param own the console's origin, to which no link leads
 * @returns null for null
 * @throws AppError `unavailable` when it takes too long or too much waits
 */
export async function renderForVisitors(texts: (string | null)[], own: string): Promise<(string | null)[]> {
  const { json } = await visitors.run({ texts, own });
  return WrittenTexts.parse(parseWellFormed(json));
}
