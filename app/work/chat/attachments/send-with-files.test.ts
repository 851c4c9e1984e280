import { expect, it } from "vitest";
import type { Actor } from "~/core/actor";
import { AppError } from "~/core/errors";
import type { MultipartPart } from "~/platform/endpoint/endpoint.shared";
import { sendWithFiles } from "./send-with-files.service.server";

const member = { orgId: "org_test", userId: "usr_member", role: "member" } as unknown as Actor;
const field = (name: string, value: string): MultipartPart => ({ kind: "field", name, value });
async function* noBytes() {}
const file = (fileName: string): MultipartPart => ({
  kind: "file",
  name: "files",
  fileName,
  contentType: "text/plain",
  bytes: noBytes(),
});
const send = (parts: MultipartPart[], refusal?: AppError) =>
  sendWithFiles(
    member,
    { conversationId: undefined },
    (async function* () {
      yield* parts;
    })(),
    { refusal },
  );
const limit = new AppError("rate_limited", "Too many requests.");

it("gives back the form of a refused request, and asks again only for files that were chosen", async () => {
  const fields = [
    field("content", "One\r\nTwo"),
    field("model", "gpt-4o"),
    field("maxSteps", "2"),
    field("tools", "kv.get"),
  ];
  // A browser sends an empty file for a field in which none is chosen.
  expect(await send([...fields, file("")], limit)).toEqual({
    content: "One\nTwo",
    model: "gpt-4o",
    persona: undefined,
    maxSteps: 2,
    tools: ["kv.get"],
    memory: false,
    attachments: [],
    error: "Too many requests.",
  });
  expect(await send([...fields, file("plan.txt")], limit)).toMatchObject({
    error: "Too many requests. Attach your files again.",
  });
});

it("gives back the text of a form that isn't valid, with the defaults for the rest", async () => {
  const sent = await send([field("content", "Hello"), field("maxSteps", "many")]);
  expect(sent).toMatchObject({
    content: "Hello",
    maxSteps: 5,
    tools: [],
    error: "Enter a whole number for Max Steps",
  });
});
