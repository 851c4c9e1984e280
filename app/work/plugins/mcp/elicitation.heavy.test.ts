import { acceptedContent, createMcpHandler, inputRequired, McpServer } from "@modelcontextprotocol/server";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { callTool } from "~/ai/tools/call-tool.service.server";
import type { AskedQuestion, QuestionEnd } from "~/ai/tools/question.schema";
import { setEnv } from "~/core/env.server";
import { openTestDatabase } from "../../../../tests/support/database";
import { startEverything } from "../../../../tests/support/mcp-server";
import { startMockServer } from "../../../../tests/support/mock-server";
import { configurePlugin } from "../install.service.server";
import { startPlugins } from "../plugin-tools.service.server";
import { addMcpServer, decideTools } from "./mcp-servers.service.server";

let test: ReturnType<typeof openTestDatabase>;
let closers: (() => unknown)[];
beforeEach(() => {
  test = openTestDatabase();
  closers = [startPlugins()];
});
afterEach(async () => {
  for (const close of closers.reverse()) await close();
  test.close();
});

const never = new AbortController().signal;

async function add(url: string) {
  setEnv({ NODE_ENV: "test", LOG_LEVEL: "silent", DATA_DIR: test.folder, EGRESS_ALLOW: new URL(url).host });
  const input = { title: "Lab", url, command: "", keyId: "", header: "" };
  const { tools, server } = await addMcpServer(test.actors.admin, input, never);
  decideTools(test.actors.admin, "mcp-lab", { allowed: tools.map(({ name, hash }) => `${name}#${hash}`) });
  return { tools: tools.map(({ name }) => name), server };
}

type Ask = (question: AskedQuestion, ended: AbortSignal) => Promise<QuestionEnd>;
const call = (name: string, input: unknown, onQuestion?: Ask, signal = never) =>
  callTool(test.actors.member, `mcp-lab.${name}`, input, {
    source: { kind: "chat", conversationId: "con_1", messageId: "msg_1" },
    signal,
    approval: "given",
    onQuestion,
  });
const accept =
  (content: QuestionEnd["content"] = {}): Ask =>
  async () => ({ outcome: "accepted", content });

describe("the protocol's own test server", () => {
  const ASKS = "trigger-elicitation-request";
  beforeEach(async () => {
    const everything = await startEverything();
    closers.push(() => everything.close());
    expect((await add(everything.url)).tools).toContain(ASKS);
  });

  it("asks by a form, and goes on with the answer", async () => {
    const asked: AskedQuestion[] = [];
    const answer = { name: "Ada", integer: 7, check: true, titledMultipleSelectEnum: ["fish-2"] };
    const outcome = await call(ASKS, {}, (question) => {
      asked.push(question);
      return accept(answer)(question, never);
    });
    expect(asked).toEqual([
      { asker: "Lab", message: "Please provide inputs for the following fields:", fields: expect.any(Array) },
    ]);
    expect(asked[0]?.fields?.map(({ name, kind }) => `${name} ${kind}`)).toEqual([
      "name text",
      "check boolean",
      "firstLine text",
      "email text",
      "homepage text",
      "birthdate text",
      "integer integer",
      "number number",
      "untitledSingleSelectEnum choice",
      "untitledMultipleSelectEnum choices",
      "titledSingleSelectEnum choice",
      "titledMultipleSelectEnum choices",
      "legacyTitledEnum choice",
    ]);
    expect(outcome).toMatchObject({ ok: true, output: { text: expect.stringContaining("- Name: Ada") } });
    expect(JSON.stringify(outcome)).toContain("fish-2");
  });

  it.each([
    ["declined", "User declined"],
    ["cancelled", "User cancelled"],
    ["expired", "Nobody answered the question of Lab within 10 minutes."],
  ] as const)("is told that a question was %s", async (outcome, text) => {
    expect(await call(ASKS, {}, async () => ({ outcome }))).toMatchObject({
      ok: true,
      output: { text: expect.stringContaining(text) },
    });
  });

  it("asks each of two calls on one connection for itself", async () => {
    const waiting: (() => void)[] = [];
    const together = (name: string): Ask => {
      return async (question) => {
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
          if (waiting.length === 2) for (const go of waiting) go();
        });
        return accept({ name })(question, never);
      };
    };
    const outcomes = await Promise.all([call(ASKS, {}, together("Ada")), call(ASKS, {}, together("Bob"))]);
    expect(outcomes.map((one) => JSON.stringify(one).match(/- Name: \w+/)?.[0])).toEqual([
      "- Name: Ada",
      "- Name: Bob",
    ]);
  });

  it("isn't told that anyone can be asked where nobody can", async () => {
    expect(await call(ASKS, {})).toMatchObject({ ok: false, error: expect.stringContaining("not found") });
  });

  it("has a link opened by a request, or before the call by an error", async () => {
    const links: (string | undefined)[] = [];
    const open: Ask = async ({ url }) => {
      links.push(url);
      return { outcome: "accepted" };
    };
    const link = { url: "https://sign-in.example/a" };
    for (const errorPath of [false, true])
      expect(await call("trigger-url-elicitation", { ...link, errorPath }, open)).toMatchObject({
        ok: true,
        output: { text: expect.stringContaining("User completed the URL elicitation flow.") },
      });
    expect(links).toEqual([link.url, "https://modelcontextprotocol.io/", link.url]);
    const declined = call("trigger-url-elicitation", { ...link, errorPath: true }, async () => ({
      outcome: "declined",
    }));
    expect(await declined).toMatchObject({
      ok: false,
      error: "Lab needs a link to be opened first, and it wasn't.",
    });
  });

  it("ends its question with the call, and with the server", async () => {
    const controller = new AbortController();
    const left: Ask = (_, ended) =>
      new Promise((resolve) => {
        ended.addEventListener("abort", () => resolve({ outcome: "withdrawn" }));
        controller.abort();
      });
    expect(await call(ASKS, {}, left, controller.signal)).toMatchObject({ code: "cancelled" });
    const closed: Ask = (_, ended) =>
      new Promise((resolve) => {
        ended.addEventListener("abort", () => resolve({ outcome: "withdrawn" }));
        configurePlugin(test.actors.admin, "mcp-lab", { enabled: false });
      });
    expect(await call(ASKS, {}, closed)).toMatchObject({ ok: false });
  });
});

describe("a server of 2026-07-28, which asks by a result", () => {
  const Name = z.object({ name: z.string() });
  beforeEach(async () => {
    const handler = createMcpHandler(() => {
      const server = new McpServer({ name: "Modern", version: "1.0.0" });
      server.registerTool("greet", { description: "Greets", inputSchema: z.object({}) }, async (_, ctx) => {
        const who = acceptedContent(ctx.mcpReq.inputResponses, "who", Name);
        const again = () =>
          inputRequired({
            inputRequests: { who: inputRequired.elicit({ message: "Who?", requestedSchema: Name }) },
            requestState: "kept",
          });
        return who && who.name !== "again"
          ? { content: [{ type: "text", text: `Hello ${who.name}, ${ctx.mcpReq.requestState()}` }] }
          : again();
      });
      return server;
    });
    const mock = await startMockServer(async (request, response) => {
      const { method = "POST", headers, text } = request;
      const answer = await handler.fetch(
        new Request(`http://${headers.host}/mcp`, {
          method,
          headers: headers as Record<string, string>,
          ...(method === "POST" && { body: text }),
        }),
      );
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      response.end(Buffer.from(await answer.arrayBuffer()));
    });
    closers.push(() => mock.close());
    expect((await add(`${mock.origin}/mcp`)).server).toMatchObject({ protocol: "2026-07-28" });
  });

  it("gets the answer with the state that it gave", async () => {
    expect(await call("greet", {}, accept({ name: "Ada" }))).toEqual({
      ok: true,
      output: { text: "Hello Ada, kept" },
    });
  });

  it("may ask five times in a call", async () => {
    let count = 0;
    const again: Ask = (...given) => {
      count += 1;
      return accept({ name: "again" })(...given);
    };
    expect(await call("greet", {}, again)).toMatchObject({
      ok: false,
      error: "Lab asked more than 5 questions.",
    });
    expect(count).toBe(5);
  });

  it("is refused by name where nobody can be asked", async () => {
    expect(await call("greet", {})).toMatchObject({
      ok: false,
      error: expect.stringContaining("elicitation"),
    });
  });
});
