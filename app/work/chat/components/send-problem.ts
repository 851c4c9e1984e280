import { problemDetail } from "~/ui/failures";

/** Why a message was refused, and what to do. */
export async function sendProblem(response: Response): Promise<string> {
  if (response.status === 413) return "This message is too long. Shorten it, or attach the text as a file.";
  return problemDetail(response);
}
