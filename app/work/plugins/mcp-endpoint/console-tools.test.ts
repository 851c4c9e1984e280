import { afterEach, beforeEach, expect, it } from "vitest";
import { getValue } from "~/ai/kv/kv.service.server";
import { createProvider } from "~/ai/models/providers.service.server";
import type { Actor } from "~/core/actor";
import { allowAnswers } from "~/work/chat/answer/active-generation.server";
import { stopAllAnswers } from "~/work/chat/answer/answers.server";
import { PersonaInput } from "~/work/personas/personas.schema";
import { createPersona } from "~/work/personas/personas.service.server";
import { openTestDatabase } from "../../../../tests/support/database";
import { type MockServer, startMockServer } from "../../../../tests/support/mock-server";
import { consoleTools } from "./console-tools.server";

let test: ReturnType<typeof openTestDatabase>;
let upstream: MockServer | undefined;
let client: Actor;

beforeEach(() => {
  test = openTestDatabase();
  client = { ...test.actors.member, kind: "token", scopes: ["chat.use", "screens.read"], tokenId: "tok_1" };
});
afterEach(async () => {
  await stopAllAnswers();
  allowAnswers();
  await upstream?.close();
  upstream = undefined;
  test.close();
});

function addPersona(defaultModel: string): string {
  const input = { name: "Scribe", description: "Writes", systemPrompt: "Write", tools: ["kv.set"] };
  return createPersona(test.actors.member, PersonaInput.parse({ ...input, defaultModel })).id;
}

async function askPersona(actor: Actor, message: string, persona: string): Promise<unknown> {
  const tool = consoleTools.find(({ name }) => name === "ask_persona");
  return await tool?.run(actor, { message, persona }, AbortSignal.timeout(10_000));
}

it("answers a client at once if a call of the answer would wait for a person", async () => {
  const persona = addPersona("quarterdeck-offline");
  const asked = await askPersona(client, "kv.set key=color value=blue", persona);
  expect(asked).toMatchObject({ answer: expect.stringContaining("needs approval") });
  expect(getValue(test.actors.member, "color")).toBeUndefined();
});

it("gives a client the reason in place of an empty answer", async () => {
  upstream = await startMockServer((request, response) => {
    if (request.url?.endsWith("/models")) return void response.end('{"data":[{"id":"alpha"}]}');
    response.writeHead(401, { "content-type": "application/json" }).end("{}");
  });
  await createProvider(test.actors.admin, {
    provider: "custom",
    displayName: "Lab",
    enabled: true,
    config: { baseUrl: `${upstream.origin}/v1` },
  });
  await expect(askPersona(client, "Hello", addPersona("alpha"))).rejects.toThrow("Lab rejected the key");
});

it("keeps a client to the models of its token", async () => {
  const limited = { ...client, gateway: { models: ["other"], requestsPerMinute: null } };
  await expect(askPersona(limited, "Hello", addPersona("quarterdeck-offline"))).rejects.toThrow(
    "isn't allowed to call the model",
  );
});
