import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { setClock } from "~/core/clock.server";
import { openTestDatabase } from "../../../tests/support/database";
import { type MockServer, startMockServer } from "../../../tests/support/mock-server";
import { detectOllama } from "./ollama-detection.server";
import { createProvider, listDetectedProviders } from "./providers.service.server";

describe("detection of an Ollama on the same host", () => {
  let test: ReturnType<typeof openTestDatabase>;
  let ollama: MockServer;
  let answers: Record<string, string>;

  beforeEach(async () => {
    answers = {
      "/api/version": '{"version":"0.12.6"}',
      "/api/tags": '{"models":[{"name":"llama3.2:3b"}]}',
    };
    ollama = await startMockServer((request, response) => {
      const answer = answers[request.url ?? ""];
      response.writeHead(answer ? 200 : 404, { "content-type": "application/json" }).end(answer ?? "{}");
    });
    test = openTestDatabase({ OLLAMA_URL: ollama.origin });
  });
  afterEach(async () => {
    setClock();
    await ollama.close();
    test.close();
  });

  const offered = () => listDetectedProviders(test.actors.admin);

  it("offers a found server, which is used once an admin has set it up", async () => {
    await detectOllama();
    const [offer] = offered();
    expect(offer).toEqual({
      provider: "local-ollama",
      displayName: "Ollama on this host",
      baseUrl: ollama.origin,
      models: ["llama3.2:3b"],
    });
    const made = await createProvider(test.actors.admin, {
      provider: offer?.provider ?? "",
      displayName: offer?.displayName ?? "",
      enabled: true,
      config: { baseUrl: offer?.baseUrl },
    });
    expect(made.models).toEqual(["llama3.2:3b"]);
    expect(offered()).toEqual([]);
    const requests = ollama.requests.length;
    await detectOllama();
    expect(ollama.requests).toHaveLength(requests);
  });

  it.each([
    ["nothing responds", {}],
    ["another server responds", { "/api/version": '{"app":"other"}', "/api/tags": "{}" }],
  ])("offers nothing where %s", async (_, other: Record<string, string>) => {
    answers = other;
    await detectOllama();
    expect(offered()).toEqual([]);
  });

  it("repeats the detection after a minute, in the background", async () => {
    answers = {};
    await detectOllama();
    expect(offered()).toEqual([]);
    const requests = ollama.requests.length;
    expect(offered()).toEqual([]);
    expect(ollama.requests).toHaveLength(requests);
    answers = { "/api/version": '{"version":"0.12.6"}', "/api/tags": '{"models":[]}' };
    setClock(() => Date.now() + 61_000);
    expect(offered()).toEqual([]);
    await expect.poll(() => offered()).toMatchObject([{ models: [] }]);
  });

  it("shows a detected server to admins only", () => {
    expect(() => listDetectedProviders(test.actors.member)).toThrow(
      expect.objectContaining({ code: "forbidden" }),
    );
  });
});
