import { eq } from "drizzle-orm";
import { afterEach, beforeEach, expect, it } from "vitest";
import { insertProviderRow } from "~/ai/models/models.repo.server";
import { callTool } from "~/ai/tools/call-tool.service.server";
import { openResultFile } from "~/ai/tools/files/result-files.service.server";
import { resultFilesOf } from "~/ai/tools/files/result-files.shared";
import { offerBuiltIn } from "~/ai/tools/tools.service.server";
import { db, transaction } from "~/core/db.server";
import { withPurpose } from "~/core/purpose.server";
import { updateSettings } from "~/platform/settings/settings.service.server";
import { auditEntries, conversations, toolFiles, usageRecords } from "~db/schema";
import { addConversation } from "../../../../tests/support/conversations";
import { openTestDatabase } from "../../../../tests/support/database";
import { PNG_PIXEL, startImageServer } from "../../../../tests/support/image-server";
import type { MockServer } from "../../../../tests/support/mock-server";
import { attachmentParts, keepAttachments, receiveAttachments } from "./attachments.service.server";
import { generateImage } from "./image.tool.server";

let test: ReturnType<typeof openTestDatabase>;
let server: MockServer;
beforeEach(async () => {
  server = await startImageServer();
  test = openTestDatabase({ EGRESS_ALLOW: `127.0.0.1:${server.port}` });
  offerBuiltIn([generateImage]);
  addConversation("con_1", []);
  transaction((tx) =>
    insertProviderRow(tx, {
      id: `prv_painter_${server.port}`,
      orgId: test.actors.member.orgId,
      type: "custom",
      displayName: "Painter",
      enabled: true,
      config: { baseUrl: `${server.origin}/v1`, models: ["gpt-image-1"] },
      models: [],
      modelsAt: null,
      priority: 1,
      createdAt: 1,
      updatedAt: 1,
    }),
  );
});
afterEach(async () => {
  offerBuiltIn([]);
  await server.close();
  test.close();
});

const draw = (input: object, { conversationId = "con_1" as string | null, who = test.actors.member } = {}) =>
  callTool(who, "image.generate", input, {
    source: { kind: "chat", conversationId, messageId: "msg_1" },
    signal: AbortSignal.timeout(20_000),
    approval: "given",
  });

async function attach(name: string): Promise<void> {
  async function* parts() {
    const bytes = (async function* () {
      yield Buffer.from(PNG_PIXEL, "base64");
    })();
    yield { kind: "file" as const, name: "files", fileName: name, contentType: "image/png", bytes };
  }
  const [file] = await receiveAttachments(test.actors.member, parts());
  const attached = attachmentParts(test.actors.member, [file?.attachment?.id ?? ""], "con_1");
  transaction((tx) => keepAttachments(tx, attached, "con_1"));
}

it("keeps images with the conversation until it is deleted, named by what they show", async () => {
  const outcome = await draw({ prompt: "a red\nship", count: 2, size: "1024x1024" });
  const files = resultFilesOf(outcome.ok ? outcome.output : undefined);
  expect(files.map(({ name, mediaType }) => [name, mediaType])).toEqual([
    ["a red ship.png", "image/png"],
    ["a red ship 2.png", "image/png"],
  ]);
  const { member, owner } = test.actors;
  expect(openResultFile(member, files[0]?.id ?? "").bytes.toString("base64")).toBe(PNG_PIXEL);
  expect(() => openResultFile(owner, files[0]?.id ?? "")).toThrow(/not found/);
  const [call] = db().select().from(usageRecords).where(eq(usageRecords.model, "gpt-image-1")).all();
  expect(call).toMatchObject({ source: "chat", conversationId: "con_1", messageId: "msg_1", images: 2 });
  const entry = db().select().from(auditEntries).where(eq(auditEntries.action, "tool.called")).get();
  expect(entry?.details).toMatchObject({ tool: "image.generate", effect: "outside" });
  expect(JSON.stringify(entry)).not.toContain("red");
  db().delete(conversations).run();
  expect(db().select().from(toolFiles).all()).toEqual([]);
});

it("edits what the person attached and what was made before, by name, and nothing of another conversation", async () => {
  await attach("photo.png");
  await draw({ prompt: "a ship" });
  expect(await draw({ prompt: "both", images: ["photo.png", "a ship.png"] })).toMatchObject({ ok: true });
  expect(server.requests.at(-1)?.body.match(/name="image\[\]"/g)).toHaveLength(2);
  addConversation("con_2", []);
  const count = server.requests.length;
  for (const [name, conversationId] of [
    ["photo.png", "con_2"],
    ["a ship.png", "con_2"],
    ["missing.png", "con_1"],
  ] as const)
    expect(await draw({ prompt: "a", images: [name] }, { conversationId })).toMatchObject({
      ok: false,
      error: `There is no image "${name}" in this conversation.`,
    });
  const foreign = await draw({ prompt: "a", images: ["photo.png"] }, { who: test.actors.owner });
  expect(foreign).toMatchObject({ ok: false, code: "not_found" });
  expect(server.requests).toHaveLength(count);
});

it("pays for nothing that can't be kept or may not be sent", async () => {
  const unkept = { ok: false, error: expect.stringContaining("only where it can be kept") };
  expect(await draw({ prompt: "a" }, { conversationId: null })).toMatchObject(unkept);
  const trial = withPurpose({ runId: "run_trial" }, () => draw({ prompt: "a" }, { conversationId: null }));
  expect(await trial).toMatchObject(unkept);
  const { orgId } = test.actors.member;
  const file = { orgId, runId: null, name: "a", mediaType: "image/png", size: 1, sha: "", createdAt: 1 };
  const rows = Array.from({ length: 200 }, (_, at) => ({ ...file, id: `tfl_${at}`, bytes: Buffer.of(1) }));
  for (const row of rows)
    db()
      .insert(toolFiles)
      .values({ ...row, conversationId: "con_1" })
      .run();
  expect(await draw({ prompt: "a" })).toMatchObject(unkept);
  db().delete(toolFiles).run();
  updateSettings(test.actors.owner, "guardrails", { blocked: "secret plan" });
  expect(await draw({ prompt: "the secret plan" })).toMatchObject({ ok: false, code: "guardrail" });
  expect(await draw({ prompt: "a" }, { who: test.actors.viewer })).toMatchObject({
    ok: false,
    code: "forbidden",
  });
  expect(server.requests).toEqual([]);
});
