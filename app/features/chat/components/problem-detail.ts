/** The `detail` of a problem response. */
export async function problemDetail(response: Response): Promise<string> {
  const text = await response.text();
  try {
    const problem: unknown = JSON.parse(text);
    if (typeof problem === "object" && problem && "detail" in problem) return String(problem.detail);
  } catch {
    // Not a problem document: a proxy's page, say. The status line says more than its markup.
  }
  return `${response.status}: ${response.statusText}`;
}

/** Why a message was refused, and what to do. */
export async function sendProblem(response: Response): Promise<string> {
  if (response.status === 413) return "This message is too long. Shorten it, or attach the text as a file.";
  return problemDetail(response);
}
