import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { canonicalId } from "~/ai/models/models.service.server";
import { db, transaction } from "~/core/db.server";
import { newId } from "~/core/ids.server";
import { addKey } from "~/team/keys/keys.service.server";
import { providers, usageRecords } from "~db/schema";
import { openTestDatabase } from "../../../../tests/support/database";
import { type MockServer, startMockServer } from "../../../../tests/support/mock-server";
import {
  differences,
  playReplay,
  type Replay,
  type ReplayStep,
  readReplay,
} from "../../../../tests/support/replay";
import { isUndecided } from "../answer-state.shared";
import { decideCall } from "../approvals/approvals.service.server";
import { receiveAttachments } from "../attachments/attachments.service.server";
import { continueAnswer } from "../branches.service.server";
import { updateMessage } from "../chat.repo.server";
import { ChatRequest } from "../chat.schema";
import { sendMessage } from "../chat.service.server";
import { followAnswer, readConversation } from "../conversations.service.server";
import { allowAnswers, findActiveGeneration } from "./active-generation.server";
import { recoverAnswers, stopAllAnswers } from "./answers.server";

const FOLDER = "tests/fixtures/streams/replays";
/** Bytes of a packet: each alone, and by `npm run test:providers` odd pieces and all at once. */
const CHUNKS = process.env.PROVIDER_MATRIX === "all" ? [1, 7, Number.POSITIVE_INFINITY] : [1];
const KEY_KINDS: Record<string, string> = { google: "gemini" };
const KEYLESS = ["custom", "local-ollama"];

/** One pixel, as PNG. */
const PICTURE = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
  "base64",
);

/** What a provider wants to see again is for nobody else. */
const KEPT_INSIDE = /signature|encrypted|redacted(?!\])|reasoningDetails|stepState|step-state/i;

let test: ReturnType<typeof openTestDatabase>;
let upstream: MockServer | undefined;
beforeEach(() => {
  test = openTestDatabase();
  vi.stubEnv("QUARTERDECK_KEY_REPLAY", "value");
});
afterEach(async () => {
  await stopAllAnswers();
  allowAnswers();
  await upstream?.close();
  test.close();
  vi.unstubAllEnvs();
});

function addProviders({ providers: given }: Replay, origin: string): void {
  const keys = new Map<string, string>();
  const keyOf = (type: string) => {
    const kind = KEY_KINDS[type] ?? type;
    if (KEYLESS.includes(type)) return {};
    const known = keys.get(kind);
    if (known) return { keyId: known };
    const input = { provider: kind as "openai", alias: "QUARTERDECK_KEY_REPLAY", origin };
    const { id } = addKey(test.actors.admin, input);
    keys.set(kind, id);
    return { keyId: id };
  };
  for (const [priority, { type, model, context, config, ...facts }] of given.entries()) {
    const row = { id: newId("prv"), orgId: test.actors.admin.orgId, type, displayName: type };
    const baseUrl = `${origin}${type === "local-ollama" ? "" : "/v1"}`;
    const at = { createdAt: priority, updatedAt: priority };
    const all = { baseUrl, ...keyOf(type), ...config };
    transaction((tx) =>
      tx
        .insert(providers)
        .values({
          ...row,
          ...at,
          enabled: true,
          priority,
          config: all,
          models: [{ id: model, ...(context && { maxTokens: context }), ...facts }],
        })
        .run(),
    );
  }
}

/** @returns an attachment's id */
async function attachPicture(): Promise<string> {
  const bytes = (async function* () {
    yield PICTURE;
  })();
  const parts = (async function* () {
    yield { kind: "file" as const, name: "files", fileName: "dot.png", contentType: "image/png", bytes };
  })();
  const [file] = await receiveAttachments(test.actors.owner, parts);
  if (!file?.attachment) throw new Error(file?.error ?? "not attached");
  return file.attachment.id;
}

const lastAnswer = (conversationId = "") =>
  readConversation(test.actors.owner, conversationId).messages.at(-1);

const files = readdirSync(FOLDER);

it.each(files.flatMap((file) => CHUNKS.map((chunk) => ({ file, chunk }))))(
  "$file in packets of $chunk",
  async ({ file, chunk }) => {
    const replay = readReplay(join(FOLDER, file));
    const { found, answer } = playReplay(replay, chunk);
    upstream = await startMockServer(answer);
    addProviders(replay, upstream.origin);
    let conversationId: string | undefined;
    let reasoningEffort: string | undefined;
    const talk = async (step: ReplayStep) => {
      if (step.kind === "effort") reasoningEffort = step.effort;
      if (step.kind === "ask") {
        const model = step.model ?? replay.providers[0]?.model;
        const messages = [{ role: "user", content: step.text }];
        const tools = [...(step.searches ? ["qdrant.search"] : []), "kv.set", "kv.get"];
        const offeredTools = step.offers ? tools : [];
        const attachments = step.shows ? [await attachPicture()] : undefined;
        const input = { messages, attachments, model, tools, offeredTools, conversationId, reasoningEffort };
        ({ conversationId } = await sendMessage(test.actors.owner, ChatRequest.parse(input)));
        // It begins in the next turn.
        await findActiveGeneration(conversationId)?.done;
      }
      if (step.kind === "crash") {
        updateMessage(db(), lastAnswer(conversationId)?.id ?? "", {
          status: "streaming",
          parts: [],
          stepStates: null,
        });
        recoverAnswers();
      }
      if (step.kind === "continue") {
        await continueAnswer(test.actors.owner, conversationId ?? "", {});
        await findActiveGeneration(conversationId ?? "")?.done;
      }
      if (step.kind === "approve") {
        const calls = lastAnswer(conversationId)?.parts.filter(isUndecided) ?? [];
        for (const { toolCallId } of calls)
          await decideCall(test.actors.owner, conversationId ?? "", {
            toolCallId,
            decision: "approve",
            ...(step.input && { input: step.input }),
          });
        await findActiveGeneration(conversationId ?? "")?.done;
      }
      if (step.kind === "answer")
        found.push(...differences(lastAnswer(conversationId), step.expected, "answer"));
    };
    for (const step of replay.steps) await talk(step);
    expect(found).toEqual([]);
    expect(JSON.stringify(readConversation(test.actors.owner, conversationId ?? ""))).not.toMatch(
      KEPT_INSIDE,
    );
    const events: string[] = [];
    followAnswer(test.actors.owner, conversationId ?? "", 0, (event) => event && events.push(event.json));
    expect(events.join("")).not.toMatch(KEPT_INSIDE);
    expect(events.length).toBeGreaterThan(0);
    // Failed or answered, a model's calls are counted under one id, which is the console's.
    const ids = ["", ...replay.providers.map(({ model }) => canonicalId(model))];
    const counted = db().select({ model: usageRecords.model }).from(usageRecords).all();
    expect(counted.filter(({ model }) => !ids.includes(model))).toEqual([]);
  },
);
