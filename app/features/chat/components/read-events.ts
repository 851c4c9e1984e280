import { readServerEvents } from "~/ui/server-events";
import type { StreamChunk } from "../stream.schema";

/** One event of an answer with its id, or the end of the stream. */
export type AnswerEvent = { id: number; chunk: StreamChunk } | "done";

/**
 * Reads an answer's server-sent events as they arrive.
 *
 * @returns whether the stream was read to its end; false when the connection was lost before
 */
export async function readEvents(
  response: Response,
  onEvent: (event: AnswerEvent) => void,
): Promise<boolean> {
  if (!response.body) return false;
  let finished = false;
  await readServerEvents(response.body, ({ id, data }) => {
    if (data === "[DONE]") {
      finished = true;
      return onEvent("done");
    }
    // The console's own server wrote it by its schema; a kind that is newer than this page folds to nothing.
    onEvent({ id: Number(id), chunk: JSON.parse(data) as StreamChunk });
  });
  return finished;
}

/** What a refused call says, in the words of its problem. */
export async function problemDetail(response: Response): Promise<string> {
  const text = await response.text();
  try {
    const problem: unknown = JSON.parse(text);
    if (typeof problem === "object" && problem && "detail" in problem) return String(problem.detail);
  } catch {
    // Not a problem document: a proxy's page, say. The status line tells more than its markup.
  }
  return `${response.status}: ${response.statusText}`;
}

/** Why a message wasn't taken, with what to do. */
export async function sendProblem(response: Response): Promise<string> {
  if (response.status === 413) return "This message is too long. Shorten it, or attach the text as a file.";
  return problemDetail(response);
}
