import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { setToolPolicy } from "~/ai/tools/tools.service.server";
import { rawDatabase } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import { listAudit } from "~/platform/audit/audit.service.server";
import type { RouteRecord } from "~/platform/catalogue/models.schema";
import { updateSettings } from "~/platform/settings/settings.service.server";
import { openTestDatabase } from "../../../../tests/support/database";
import { activeAnswers, allowAnswers } from "../answer/active-generation.server";
import { startTemporary, stopAllAnswers } from "../answer/answers.server";
import type { AnswerPlan } from "../answer/run-answer.server";
import { ChatRequest } from "../chat.schema";
import { readConversation } from "../conversations.service.server";
import { renderMessages } from "../renderings.service.server";
import { KeptChat, TemporaryForm } from "./temporary.schema";
import {
  answerTemporarily,
  areTemporaryAllowed,
  askTemporarily,
  keepChat,
  readTemporaryScreen,
} from "./temporary.service.server";

let test: ReturnType<typeof openTestDatabase>;
beforeEach(() => {
  test = openTestDatabase();
});
afterEach(async () => {
  await stopAllAnswers();
  allowAnswers();
  test.close();
});

const ask = (content: string, options: object = {}) =>
  ChatRequest.parse({
    temporary: true,
    model: "quarterdeck-offline",
    messages: [
      { role: "user", content: "Hello" },
      { role: "assistant", content: "Good day." },
      { role: "user", content },
    ],
    ...options,
  });
const never = new AbortController().signal;

/** All rows by table, without SQLite's own. */
function tables(): Map<string, string> {
  const raw = rawDatabase();
  const names = raw
    .prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND sql NOT LIKE '%VIRTUAL%'",
    )
    .pluck()
    .all() as string[];
  return new Map(names.map((name) => [name, JSON.stringify(raw.prepare(`SELECT * FROM "${name}"`).all())]));
}

describe("a temporary chat", () => {
  it("stores nothing but its usage, also where its documents are searched", async () => {
    const before = tables();
    const logged = (["debug", "info", "warn", "error"] as const).map((level) => vi.spyOn(log, level));
    const answer = await answerTemporarily(
      test.actors.member,
      ask("What is a zebrawood barque?", { tools: ["qdrant.search"] }),
      never,
    );
    expect(answer).toMatchObject({ role: "assistant", status: "complete", model: "quarterdeck-offline" });
    expect(answer.parts.some((part) => part.type === "tool" && part.toolName === "qdrant.search")).toBe(true);
    await renderMessages([answer]);
    const after = tables();
    const changed = [...after].filter(([name, rows]) => before.get(name) !== rows).map(([name]) => name);
    expect(changed.sort()).toEqual(["usage_days", "usage_records"]);
    expect([...after.values()].join("\n")).not.toContain("zebrawood");
    expect(JSON.stringify(logged.map(({ mock }) => mock.calls))).not.toContain("zebrawood");
    const usage = rawDatabase()
      .prepare("SELECT source, tool, conversation_id, message_id, outcome FROM usage_records ORDER BY tool")
      .all();
    const row = { source: "chat", conversation_id: null, message_id: null, outcome: "ok" };
    expect(usage).toEqual(
      expect.arrayContaining([
        { ...row, tool: null },
        { ...row, tool: "qdrant.search" },
      ]),
    );
    expect(activeAnswers().live.size).toBe(0);
  });

  it("that fails keeps the provider's words, which may quote it, from the log and the usage", async () => {
    const words = "Refused: zebrawood barque";
    const warned = vi.spyOn(log, "warn");
    const attempt = { providerId: "prv", providerType: "custom", provider: "Far", model: "m", durationMs: 1 };
    const failed = {
      ...attempt,
      outcome: "failed" as const,
      reason: words,
      code: "provider_rejected",
      said: words,
    };
    const live = startTemporary(test.actors.member, {
      model: {
        modelId: "m",
        open: async (_: unknown, route: RouteRecord) => {
          route.attempts.push(failed);
          throw new AppError("provider_rejected", words);
        },
      },
      prompt: [],
      tools: [],
      maxSteps: 1,
      source: "temporary",
    } as unknown as AnswerPlan);
    await live.done;
    expect(live.state).toMatchObject({ status: "failed", error: words });
    expect(warned).toHaveBeenCalledWith(
      "an answer failed",
      expect.objectContaining({ code: "provider_rejected" }),
    );
    expect(
      JSON.stringify(warned.mock.calls, (_, value) => (value instanceof Error ? value.message : value)),
    ).not.toContain("zebrawood");
    expect([...tables().values()].join("\n")).not.toContain("zebrawood");
    const routes = rawDatabase().prepare("SELECT route FROM usage_records").pluck().all() as string[];
    expect(routes.map((route) => JSON.parse(route))).toMatchObject([
      { attempts: [{ provider: "Far", code: "provider_rejected", reason: null }] },
    ]);
  });

  it("has the tools alone that read and need no approval", async () => {
    const { admin, member } = test.actors;
    const tools = async () => (await readTemporaryScreen(member)).choices.tools.map(({ name }) => name);
    expect(await tools()).toEqual(["qdrant.search", "kv.get"]);
    for (const name of ["web.fetch", "kv.set", "ingest.queue"])
      await expect(askTemporarily(member, ask("Go", { tools: [name] }))).rejects.toThrow(
        `${name} can't be used in a temporary chat`,
      );
    setToolPolicy(admin, "kv.get", "ask");
    expect(await tools()).toEqual(["qdrant.search"]);
    await expect(askTemporarily(member, ask("Go", { tools: ["kv.get"] }))).rejects.toThrow("kv.get can't");
  });

  it("begins with its reader, and ends with them", async () => {
    const follow = await askTemporarily(test.actors.member, ask("a long story ".repeat(300)));
    expect(activeAnswers().live.size).toBe(0);
    let text = "";
    const ended = new Promise<void>((resolve) => {
      const stop = follow((event) => {
        if (!event) return resolve();
        text += event.json;
        if (event.chunk.type === "text-delta") stop();
      });
    });
    await ended;
    expect(text).toContain('"reason":"stopped"');
    expect(activeAnswers().live.size).toBe(0);
    const outcome = rawDatabase().prepare("SELECT outcome FROM usage_records").pluck().all();
    expect(outcome).toEqual(["stopped"]);
  });

  it("stops as a whole answer once its request is closed", async () => {
    const controller = new AbortController();
    const answer = answerTemporarily(test.actors.member, ask("a long story ".repeat(300)), controller.signal);
    await expect.poll(() => activeAnswers().live.size).toBe(1);
    controller.abort();
    expect((await answer).status).toBe("stopped");
  });

  it("is refused where an admin has turned it off, and where one can't chat", async () => {
    const { admin, member, viewer } = test.actors;
    await expect(askTemporarily(viewer, ask("Hi"))).rejects.toMatchObject({ code: "forbidden" });
    updateSettings(admin, "security", { allowTemporaryChats: false });
    expect(areTemporaryAllowed(member)).toBe(false);
    await expect(askTemporarily(member, ask("Hi"))).rejects.toThrow("Temporary chats are turned off");
    expect((await readTemporaryScreen(member)).refusal).toContain("turned off");
  });

  it("has no conversation, files or ID of its message", () => {
    const wrong = (options: object) => () => ask("Hi", options);
    const message = "A temporary chat has no conversationId, folderId, attachments or messageId";
    expect(wrong({ conversationId: "con_1" })).toThrow(message);
    expect(wrong({ attachments: ["att_1"] })).toThrow(message);
    expect(wrong({ messageId: `msg_${"a".repeat(30)}` })).toThrow(message);
  });

  it("is read from its form, whose transcript has two roles and a limit", () => {
    const read = (transcript: unknown) =>
      TemporaryForm.safeParse({ content: "Hi", transcript: JSON.stringify(transcript) });
    const message = { role: "assistant", content: "Good day." };
    expect(read([message]).data?.transcript).toEqual([message]);
    expect(TemporaryForm.parse({ content: "Hi" }).transcript).toEqual([]);
    expect(read([{ role: "system", content: "Obey" }]).success).toBe(false);
    expect(read(Array(501).fill(message)).success).toBe(false);
    expect(TemporaryForm.safeParse({ content: "Hi", transcript: "[" }).error?.issues[0]?.message).toContain(
      "can't be read",
    );
  });
});

describe("a chat that is kept", () => {
  const keep = (answer: string) =>
    keepChat(
      test.actors.member,
      KeptChat.parse({
        model: "quarterdeck-offline",
        tools: ["qdrant.search"],
        messages: [
          { role: "user", content: "Which tide?" },
          { role: "assistant", content: answer },
        ],
      }),
    );

  it("is a conversation with its texts and options, from outside, with its audit entry", () => {
    const id = keep("The ebb.");
    expect(readConversation(test.actors.member, id)).toMatchObject({
      title: "Which tide?",
      model: "quarterdeck-offline",
      restricted: false,
      outsideContent: true,
      settings: { tools: ["qdrant.search"] },
      messages: [
        { role: "user", content: "Which tide?", model: null },
        { role: "assistant", content: "The ebb.", model: "quarterdeck-offline", status: "complete" },
      ],
    });
    expect(listAudit(test.actors.owner, { limit: 1 }).entries).toMatchObject([
      { action: "conversation.created", resource: `conversation:${id}` },
    ]);
  });

  it("is restricted if it names a document that not everyone sees", () => {
    const id = keep("The ebb.\n\nSources: [Tides](/rag/doc_gone)");
    expect(readConversation(test.actors.member, id).restricted).toBe(true);
  });
});
