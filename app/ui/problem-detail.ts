/** The problem's `detail`; without one, such as on a proxy's error page, the status. */
export function detailOf(status: number, body: unknown): string {
  const detail = typeof body === "object" && body !== null && "detail" in body ? body.detail : undefined;
  return typeof detail === "string" ? detail : `The server returned HTTP ${status}. Try again.`;
}

/** Reads the message of a failed response. */
export async function problemDetail(response: Response): Promise<string> {
  return detailOf(response.status, await response.json().catch(() => undefined));
}

export const UNREACHABLE = "The server can't be reached. Check your connection and try again.";
