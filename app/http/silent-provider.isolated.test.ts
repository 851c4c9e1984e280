import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { gatewayApi, gatewayPrograms } from "~/ai/gateway/gateway.api";
import { insertProviderRow } from "~/ai/models/models.repo.server";
import { transaction } from "~/core/db.server";
import { createToken } from "~/team/members/token.service.server";
import { openTestDatabase } from "../../tests/support/database";
import { type MockServer, startMockServer } from "../../tests/support/mock-server";
import { offerApi } from "./api.server";
import { createEdge } from "./express.server";

// A caller that waits for the usual time would make the test wait as well.
vi.mock("~/platform/endpoint/endpoint.shared", async (original) => ({
  ...(await original<object>()),
  HEARTBEAT_MS: 40,
}));

let test: ReturnType<typeof openTestDatabase>;
let far: MockServer;
/** Each of the provider's answers, which the test gives. */
const asked: ServerResponse[] = [];
let edge: Server;
let token: string;

beforeAll(async () => {
  far = await startMockServer((_, response) => void asked.push(response));
  test = openTestDatabase({ EGRESS_ALLOW: `127.0.0.1:${far.port}` });
  const { orgId } = test.actors.member;
  transaction((tx) =>
    insertProviderRow(tx, {
      id: "prv_silent",
      orgId,
      type: "custom",
      displayName: "Far",
      enabled: true,
      config: { baseUrl: `${far.origin}/v1`, models: ["m"] },
      models: [],
      modelsAt: null,
      priority: 1,
      createdAt: 1,
      updatedAt: 1,
    }),
  );
  ({ token } = createToken(test.actors.member, { name: "program" }));
  offerApi(gatewayApi, gatewayPrograms);
  const settings = {
    rateLimitEnabled: false,
    rateLimit: 1000,
    enableCompression: true,
    enableCSP: true,
    enableCORS: false,
    corsOrigins: "",
    enforceHttps: false,
  };
  const loadBuild = () => new Promise<never>(() => {});
  edge = createServer(createEdge({ loadBuild, root: "/nowhere", settings: () => settings }));
  edge.listen(0, "127.0.0.1");
  await once(edge, "listening");
});
afterAll(async () => {
  edge.close();
  edge.closeAllConnections();
  await far.close();
  test.close();
});

/** Asks for a stream, and reads it until it holds this many heartbeats. */
async function waitingCaller(path: string, heartbeat: string, count: number) {
  const { port } = edge.address() as AddressInfo;
  const messages = [{ role: "user", content: "Hi" }];
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "m", max_tokens: 9, stream: true, messages }),
  });
  expect([response.status, response.headers.get("content-type")]).toEqual([
    200,
    "text/event-stream; charset=utf-8",
  ]);
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  let isOver = false;
  const more = async () => {
    const { done, value } = await reader.read();
    isOver = done;
    return decoder.decode(value, { stream: !done });
  };
  let beats = "";
  while (!isOver && beats.split(heartbeat).length <= count) beats += await more();
  expect(beats.replaceAll(heartbeat, "")).toBe("");
  return async () => {
    let rest = "";
    while (!isOver) rest += await more();
    return rest.replaceAll(heartbeat, "");
  };
}

const callers = [
  ["/v1/chat/completions", ": still here\n\n", "data: [DONE]\n\n", /^data: \{"error":\{"message":"Far /],
  [
    "/v1/messages",
    'event: ping\ndata: {"type":"ping"}\n\n',
    'event: message_stop\ndata: {"type":"message_stop"}\n\n',
    /^event: error\ndata: \{"type":"error","error":\{"type":"\w+","message":"Far /,
  ],
] as const;

it.each(callers)("gives a caller of %s signs of life, then the answer", async (path, heartbeat, end) => {
  const rest = await waitingCaller(path, heartbeat, 3);
  const chunk = (delta: object, finish_reason: string | null = null) =>
    `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  asked
    .pop()
    ?.writeHead(200, { "content-type": "text/event-stream" })
    .end(`${chunk({ role: "assistant", content: "At last." })}${chunk({}, "stop")}data: [DONE]\n\n`);
  const answer = await rest();
  expect(answer).toContain("At last.");
  expect(answer.endsWith(end)).toBe(true);
});

it.each(callers)(
  "gives a caller of %s signs of life, then the refusal",
  async (path, heartbeat, _, error) => {
    const rest = await waitingCaller(path, heartbeat, 2);
    asked.pop()?.writeHead(400, { "content-type": "application/json" }).end('{"error":{"message":"No"}}');
    expect(await rest()).toMatch(error);
  },
);
