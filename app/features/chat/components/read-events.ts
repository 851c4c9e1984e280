import { readServerEvents } from "~/ui/server-events";
import type { StreamChunk } from "../stream.schema";

export type AnswerEvent = { id: number; chunk: StreamChunk } | "done";

/** Reads server-sent events. @returns false if the connection was lost */
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
    // Our server validated it; newer kinds are ignored.
    onEvent({ id: Number(id), chunk: JSON.parse(data) as StreamChunk });
  });
  return finished;
}

/** The error message of a response. */
export async function problemDetail(response: Response): Promise<string> {
  const text = await response.text();
  try {
    const problem: unknown = JSON.parse(text);
    if (typeof problem === "object" && problem && "detail" in problem) return String(problem.detail);
  } catch {
    // Not a problem document, such as a proxy's page.
  }
  return `${response.status}: ${response.statusText}`;
}

/** Why a message wasn't taken, with what to do. */
export async function sendProblem(response: Response): Promise<string> {
  if (response.status === 413) return "This message is too long. Shorten it, or attach the text as a file.";
  return problemDetail(response);
}
