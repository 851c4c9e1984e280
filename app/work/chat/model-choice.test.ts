import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { insertProviderRow } from "~/ai/models/models.repo.server";
import { setToolPolicy } from "~/ai/tools/tools.service.server";
import type { Actor } from "~/core/actor";
import { transaction } from "~/core/db.server";
import { chosenModels } from "~/team/members/preferences.service.server";
import { PersonaInput } from "~/work/personas/personas.schema";
import { createPersona } from "~/work/personas/personas.service.server";
import { openTestDatabase } from "../../../tests/support/database";
import { allowAnswers } from "./answer/active-generation.server";
import { stopAllAnswers } from "./answer/answers.server";
import { regenerateAnswer } from "./branches.service.server";
import { insertConversation, insertMessage } from "./chat.repo.server";
import { sendMessage, textPart } from "./chat.service.server";
import { personaHint, withPersona } from "./components/use-chat-options";
import { chooseConversationModel, readConversation } from "./conversations.service.server";
import { prepare } from "./plan-answer.server";
import { readChatScreen } from "./screen.service.server";

let test: ReturnType<typeof openTestDatabase>;
let member: Actor;
beforeEach(() => {
  test = openTestDatabase();
  member = test.actors.member;
});
afterEach(async () => {
  await stopAllAnswers();
  allowAnswers();
  test.close();
});

function serve(...models: string[]): void {
  const config = { baseUrl: "http://lab.example/v1", models };
  const times = { createdAt: 1, updatedAt: 1, modelsAt: null };
  transaction((tx) =>
    insertProviderRow(tx, {
      id: "prv_1",
      orgId: member.orgId,
      type: "custom",
      displayName: "Lab",
      enabled: true,
      priority: 0,
      models: [],
      config,
      ...times,
    }),
  );
}

function persona(defaultModel: string) {
  const given = { name: "Scout", defaultModel, tools: ["kv.get"], reasoningEffort: "high" };
  return createPersona(member, PersonaInput.parse(given));
}

describe("a tool that an admin switched off", () => {
  const prepareWith = (options: { tools?: string[]; persona?: string }) =>
    prepare(member, { maxSteps: 1, ...options }).toolNames;

  it("is refused in a call and ignored in a persona", () => {
    persona("gpt-4o");
    expect(prepareWith({ tools: ["kv.get", "kv.set"] })).toEqual(["kv.get", "kv.set"]);
    setToolPolicy(test.actors.admin, "kv.get", "never");
    expect(() => prepareWith({ tools: ["kv.get", "kv.set"] })).toThrow(
      expect.objectContaining({
        code: "invalid",
        fields: { tools: ["kv.get is turned off. An admin can allow it under Settings › Advanced."] },
      }),
    );
    expect(prepareWith({ persona: "Scout" })).toEqual([]);
  });

  it("is no longer offered in chat, personas or conversations", async () => {
    const { id } = persona("gpt-4o");
    transaction((tx) =>
      insertConversation(tx, {
        id: "con_1",
        orgId: member.orgId,
        userId: member.userId,
        title: "t",
        model: "quarterdeck-offline",
        settings: { tools: ["kv.get", "kv.set"] },
        createdAt: 1,
        updatedAt: 1,
      }),
    );
    setToolPolicy(test.actors.admin, "kv.get", "never");
    const { choices, defaults } = await readChatScreen(member, "con_1");
    expect(choices.tools.map(({ name }) => name)).not.toContain("kv.get");
    expect(choices.personas.find((one) => one.id === id)?.tools).toEqual([]);
    expect(defaults.tools).toEqual(["kv.set"]);
  });
});

describe("a call that names a persona", () => {
  const modelOf = (options: { model?: string; tools?: string[] }) => {
    const { plan, toolNames } = prepare(member, { maxSteps: 1, persona: "Scout", ...options });
    return [plan.model.modelId, toolNames];
  };

  it("uses the persona's model and tools unless it names its own", () => {
    serve("gpt-4o", "own-model");
    persona("own-model");
    expect(modelOf({})).toEqual(["own-model", ["kv.get"]]);
    expect(modelOf({ model: "gpt-4o", tools: [] })).toEqual(["gpt-4o", []]);
  });

  it("uses the chat's default if the persona's model isn't available", () => {
    serve("other", "gpt-4o");
    persona("own-model");
    expect(modelOf({})).toEqual(["gpt-4o", ["kv.get"]]);
  });
});

describe("the screen with a persona", () => {
  it("says which model answers", async () => {
    serve("gpt-4o", "own-model");
    const { id } = persona("own-model");
    const { choices, defaults } = await readChatScreen(member, undefined);
    const options = withPersona(defaults, id, choices);
    expect(options).toMatchObject({ persona: id, model: "own-model", tools: ["kv.get"] });
    expect(personaHint(options, choices)).toBe("Answers with its default model, own-model");
    expect(personaHint({ ...options, model: "gpt-4o" }, choices)).toBe(
      "Answers with GPT-4o instead of its default model, own-model",
    );
    expect(options.effort).toBe("high");
    // The model stays, which the chat's header shows.
    const { tools, effort } = defaults;
    expect(tools).not.toEqual([]);
    expect(withPersona(options, "", choices)).toEqual({ ...options, persona: "", tools, effort });
    expect(withPersona(options, "per_none", choices).persona).toBe("");
  });

  it("keeps the selected model if the persona's isn't available", async () => {
    serve("gpt-4o");
    const { id } = persona("own-model");
    const { choices, defaults } = await readChatScreen(member, undefined);
    const options = withPersona(defaults, id, choices);
    expect(options.model).toBe("gpt-4o");
    expect(personaHint(options, choices)).toBe(
      "Its default model, own-model, isn't available. Answers with GPT-4o",
    );
  });
});

describe("a conversation with a removed model", () => {
  const open = (model: string) => {
    const { orgId, userId } = member;
    const at = { createdAt: 1, updatedAt: 1 };
    transaction((tx) =>
      insertConversation(tx, { id: "con_1", orgId, userId, title: "T", model, settings: {}, ...at }),
    );
    return readChatScreen(member, "con_1");
  };

  it.each([
    [["a", "gemini-2.5-flash", "gpt-3.5-turbo"], "gpt-3.5-turbo"],
    [["gpt-5-mini", "gpt-4", "gpt-4o"], "gpt-4o"],
    [["b", "a"], "b"],
  ])("offers the fallbacks in their order: of %j, %s", async (models, expected) => {
    serve(...models);
    expect(await open("gone-model")).toMatchObject({
      goneModel: "gone-model",
      defaults: { model: expected },
    });
  });

  it.each([
    ["its own model", "b", "b"],
    ["the first fallback where that is gone", "gone-model", "gpt-4"],
  ])("is answered by %s if a message names none", async (_, model, expected) => {
    serve("b", "gpt-4");
    await open(model);
    const messages = [{ role: "user" as const, content: "Hello" }];
    const { messageId } = await sendMessage(member, { conversationId: "con_1", messages, maxSteps: 1 });
    await stopAllAnswers();
    const { messages: stored } = readConversation(member, "con_1");
    expect(stored.find(({ id }) => id === messageId)?.model).toBe(expected);
  });

  it("regenerates with the replacement model", async () => {
    await open("gone-model");
    const message = { conversationId: "con_1", status: "complete" as const, createdAt: 1, finishedAt: 1 };
    transaction((tx) => {
      insertMessage(tx, { ...message, id: "msg_1", position: 0, role: "user", parts: textPart("Hello") });
      const parts = textPart("Hi");
      insertMessage(tx, {
        ...message,
        id: "msg_2",
        position: 1,
        role: "assistant",
        parts,
        model: "gone-model",
      });
    });
    const { messageId } = await regenerateAnswer(member, "con_1", { maxSteps: 1 });
    await stopAllAnswers();
    const { messages } = readConversation(member, "con_1");
    expect(messages.at(-1)).toMatchObject({ id: messageId, model: "quarterdeck-offline" });
  });

  it("shows no notice while the model is available", async () => {
    serve("gpt-4o", "own-model");
    expect(await open("own-model")).toMatchObject({
      goneModel: undefined,
      defaults: { model: "own-model" },
    });
  });
});

describe("a conversation's model", () => {
  it("is chosen for it alone, and shown with the default of new ones", async () => {
    serve("gpt-4o", "own-model");
    const { conversationId } = await sendMessage(member, {
      messages: [{ role: "user", content: "Hello" }],
      model: "quarterdeck-offline",
      maxSteps: 1,
      tools: [],
    });
    chooseConversationModel(member, conversationId, { model: "own-model" });
    expect(chosenModels(member)).toEqual({ session: undefined, preferred: null });
    const { choices, defaults } = await readChatScreen(member, conversationId);
    expect([defaults.model, choices.defaultModel]).toEqual(["own-model", "gpt-4o"]);
  });
});
