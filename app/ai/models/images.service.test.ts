import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Actor } from "~/core/actor";
import { db, transaction } from "~/core/db.server";
import { updateSettings } from "~/platform/settings/settings.service.server";
import { addKey } from "~/team/keys/keys.service.server";
import { usageRecords } from "~db/schema";
import { openTestDatabase } from "../../../tests/support/database";
import { PNG_PIXEL, startImageServer } from "../../../tests/support/image-server";
import type { MockServer } from "../../../tests/support/mock-server";
import { drawImages, type ImageRequest, listImageModels } from "./images.service.server";
import { saveModel } from "./model-settings.service.server";
import { insertProviderRow } from "./models.repo.server";
import { listEmbeddingModels, listModels } from "./models.service.server";

const PIXEL = { bytes: Buffer.from(PNG_PIXEL, "base64"), mediaType: "image/png" };
/** Health outlives a test. */
let order = 0;

let test: ReturnType<typeof openTestDatabase>;
let actor: Actor;
let server: MockServer;
beforeEach(async () => {
  server = await startImageServer();
  test = openTestDatabase({
    EGRESS_ALLOW: `127.0.0.1:${server.port}`,
  });
  actor = test.actors.member;
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await server.close();
  test.close();
});

function addProvider(models: string[], type = "custom", kind?: "image"): void {
  transaction((tx) =>
    insertProviderRow(tx, {
      id: `prv_draw_${++order}`,
      orgId: actor.orgId,
      type,
      displayName: "Painter",
      enabled: true,
      config: { baseUrl: `${server.origin}/v1`, models: kind ? [] : models },
      models: kind ? models.map((id) => ({ id, kind })) : [],
      modelsAt: null,
      priority: 1,
      createdAt: 1,
      updatedAt: 1,
    }),
  );
}

const draw = (more: Partial<ImageRequest> = {}, who = actor) =>
  drawImages(
    who,
    { prompt: "a red ship", count: 1, inputs: [], further: {}, signal: AbortSignal.timeout(20_000), ...more },
    {},
  );
const usage = () => db().select().from(usageRecords).all().at(-1);
const asked = () => JSON.parse(server.requests.at(-1)?.body ?? "{}") as Record<string, unknown>;

describe("a model for images", () => {
  it("is recognized by its id, and is none for chats and embeddings", () => {
    addProvider(["flux.1-schnell", "gpt-image-1", "gpt-4o", "stable-diffusion-3.5"]);
    expect(listImageModels(actor)).toEqual(["flux.1-schnell", "gpt-image-1", "stable-diffusion-3.5"]);
    expect(listModels(actor).map(({ id }) => id)).toEqual(["gpt-4o", expect.any(String)]);
    expect(listEmbeddingModels(actor.orgId).map(({ id }) => id)).toEqual(["gpt-4o"]);
  });

  it("makes images that cost what an admin says an image costs", async () => {
    addProvider(["flux.1-schnell"]);
    expect(await draw({ count: 2 })).toEqual({ model: "flux.1-schnell", images: [PIXEL, PIXEL] });
    expect(asked()).toEqual({
      model: "flux.1-schnell",
      prompt: "a red ship",
      n: 2,
      response_format: "b64_json",
    });
    expect(usage()).toMatchObject({ images: 2, inputTokens: null, costMicros: null, estimated: false });
    saveModel(test.actors.admin, "flux.1-schnell", { cost: { input: 0, output: 0, images: 0.04 } });
    await draw({ count: 2 });
    expect(usage()).toMatchObject({ images: 2, costMicros: 80_000, source: "chat", outcome: "ok" });
  });

  it.each([
    ["at once", 500],
    ["in a thread", 2000],
  ])("takes no more than ten of them, however many a provider sends, read %s", async (_, count) => {
    addProvider(["flux.1-schnell"]);
    expect((await draw({ count })).images).toEqual(Array.from({ length: 10 }, () => PIXEL));
    expect(usage()).toMatchObject({ images: 10 });
  });

  it("keeps tokens where the provider counts them, and edits by a form", async () => {
    addProvider(["gpt-image-1"]);
    expect((await draw({ inputs: [PIXEL, PIXEL], mask: PIXEL })).images).toEqual([PIXEL]);
    const { url, body } = server.requests.at(-1) ?? {};
    expect(url).toBe("/v1/images/edits");
    expect(body?.match(/(?<= )name="[^"]+"/g)).toEqual(
      ["output_format", "model", "prompt", "n", "image[]", "image[]", "mask"].map((name) => `name="${name}"`),
    );
    expect(usage()).toMatchObject({ images: 1, inputTokens: 10, outputTokens: 1056 });
  });

  it("answers in a chat at OpenRouter", async () => {
    vi.stubEnv("OPENROUTER_API_KEY", "sk-test");
    addKey(test.actors.owner, { provider: "openrouter", alias: "OPENROUTER_API_KEY", origin: server.origin });
    addProvider(["black-forest-labs/flux.2-pro"], "openrouter", "image");
    expect((await draw({ inputs: [PIXEL] })).images).toEqual([PIXEL]);
    expect(asked()).toMatchObject({
      modalities: ["image"],
      messages: [
        {
          content: [
            { type: "text", text: "a red ship" },
            { type: "image_url", image_url: { url: `data:image/png;base64,${PNG_PIXEL}` } },
          ],
        },
      ],
    });
    expect(usage()).toMatchObject({ images: 1, inputTokens: 12, outputTokens: 1290 });
    await expect(draw({ count: 2 })).rejects.toThrow("Painter makes one image per call.");
    await expect(draw({ further: { size: "9x9" } })).rejects.toThrow("Painter takes no size. Leave it out.");
  });

  it("is the one that the organization chose, for those who may use it", async () => {
    await expect(draw()).rejects.toThrow("There is no model for images that you may use.");
    addProvider(["flux.1-schnell", "gpt-image-1"]);
    updateSettings(test.actors.admin, "routing", { imageModel: "gpt-image-1" });
    expect((await draw()).model).toBe("gpt-image-1");
    const limited = { ...actor, gateway: { models: ["flux.1-schnell"], requestsPerMinute: null } };
    await expect(draw({}, limited as Actor)).rejects.toMatchObject({ code: "provider_model" });
  });

  it("gets a prompt that passed the guardrails, and says what its provider refuses", async () => {
    addProvider(["gpt-image-1"]);
    updateSettings(test.actors.owner, "guardrails", { blocked: "red ship" });
    await expect(draw()).rejects.toMatchObject({ code: "guardrail" });
    expect(server.requests).toHaveLength(0);
    await expect(draw({ prompt: "something forbidden" })).rejects.toThrow(
      "A content filter of Painter refused this request for",
    );
    expect(usage()).toMatchObject({ outcome: "error", images: null });
  });
});
