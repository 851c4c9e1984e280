import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { expect, it, vi } from "vitest";
import { reportRequest } from "~/core/telemetry.server";
import { offerApi } from "./api.server";
import { createEdge } from "./express.server";

vi.mock("~/core/telemetry.server");

const settings = {
  rateLimitEnabled: false,
  rateLimit: 1000,
  enableCompression: false,
  enableCSP: true,
  enableCORS: false,
  corsOrigins: "",
  enforceHttps: false,
};

it("counts the wait for a turn to a request's time", async () => {
  offerApi([], [{ under: "/v1", callers: "tokens" }]);
  const clock = vi.spyOn(performance, "now").mockReturnValue(1);
  const edge = createEdge({
    loadBuild: () => new Promise(() => {}),
    root: "/nowhere",
    settings: () => settings,
  });
  const responses = Array.from({ length: 12 }, (_, at) => {
    const request = new IncomingMessage(new Socket());
    request.method = "OPTIONS";
    request.url = at % 2 ? "/v1/nothing" : "/api/personas";
    const response = new ServerResponse(request);
    edge(request, response);
    return response;
  });
  clock.mockReturnValue(9);
  await vi.waitUntil(() => responses.every(({ headersSent }) => headersSent), { timeout: 10_000 });
  for (const response of responses) response.emit("close");
  expect(vi.mocked(reportRequest).mock.calls.map(([{ status }, , started]) => [status, started])).toEqual(
    responses.map(() => [204, 1]),
  );
});
