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

const options = { loadBuild: () => new Promise<never>(() => {}), root: "/nowhere", settings: () => settings };

it("counts the wait for a turn to a request's time", async () => {
  offerApi([], [{ under: "/v1", callers: "tokens" }]);
  const clock = vi.spyOn(performance, "now").mockReturnValue(1);
  const edge = createEdge(options);
  const responses = Array.from({ length: 12 }, (_, at) => {
    const request = new IncomingMessage(new Socket());
    request.method = "OPTIONS";
    request.url = at % 2 ? "/v1/nothing" : "/api/personas";
    const response = new ServerResponse(request);
    edge(request, response);
    return response;
  });
  clock.mockReturnValue(9);
  await vi.waitUntil(() => responses.every(({ headersSent }) => headersSent), { timeout: 25_000 });
  for (const response of responses) response.emit("close");
  expect(vi.mocked(reportRequest).mock.calls.map(([{ status }, , started]) => [status, started])).toEqual(
    responses.map(() => [204, 1]),
  );
});

it.each([
  ["a program", {}, 404],
  ["another site with a session", { cookie: "qd_session=x" }, 403],
])("answers JSON that %s posts where no call is", async (_, headers, status) => {
  offerApi([], [{ under: "/v1", callers: "tokens" }]);
  const request = new IncomingMessage(new Socket());
  const type = { "content-type": "application/json", "content-length": "2" };
  Object.assign(request, {
    method: "POST",
    url: "/openai/deployments/gpt/chat/completions",
    headers: { host: "localhost", ...type, ...headers },
  });
  const response = new ServerResponse(request);
  createEdge(options)(request, response);
  await vi.waitUntil(() => response.headersSent, { timeout: 25_000 });
  expect(response.statusCode).toBe(status);
});
