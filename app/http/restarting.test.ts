import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { holdRequests } from "./restarting.server";

it("says that the console restarts: pages reload by themselves, other requests get a problem", async () => {
  const server = createServer(holdRequests);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  const ask = async (path: string, method = "GET") => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method });
    const { status, headers } = response;
    return {
      status,
      type: headers.get("content-type"),
      refresh: headers.get("refresh"),
      text: await response.text(),
    };
  };
  try {
    const page = await ask("/chat");
    expect(page).toMatchObject({ status: 503, type: "text/html; charset=utf-8", refresh: "2" });
    expect(page.text).toContain("This page reloads by itself.");
    for (const [path, method] of [
      ["/api/usage", "GET"],
      ["/chat", "POST"],
    ] as const) {
      const problem = await ask(path, method);
      expect(problem).toMatchObject({ status: 503, type: "application/problem+json", refresh: null });
      expect(JSON.parse(problem.text)).toMatchObject({ status: 503, code: "unavailable" });
    }
    expect((await ask("/healthz")).status).toBe(200);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
