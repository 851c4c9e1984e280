import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, expect, it } from "vitest";
import { db, rawDatabase } from "~/core/db.server";
import { listAudit } from "~/platform/audit/audit.service.server";
import type { MultipartPart } from "~/platform/endpoint/endpoint.shared";
import { openTestDatabase } from "../../../../tests/support/database";
import { listUnsent } from "./attachments.repo.server";
import { receiveAttachments, removeAttachment } from "./attachments.service.server";
import { ATTACHMENT_LIMITS } from "./limits.shared";

let test: ReturnType<typeof openTestDatabase>;
beforeEach(() => {
  test = openTestDatabase();
});
afterEach(() => test.close());

async function* filesOf(contents: readonly Uint8Array[]): AsyncGenerator<MultipartPart> {
  for (const [at, content] of contents.entries()) {
    const bytes = (async function* () {
      yield content;
    })();
    yield { kind: "file", name: "files", fileName: `${at}.txt`, contentType: "text/plain", bytes };
  }
}

const upload = (...contents: Uint8Array[]) => receiveAttachments(test.actors.member, filesOf(contents));
const unsent = () => ({ files: listUnsent(db(), test.actors.member).length });
const text = (length: number) => Buffer.from(randomBytes(length / 2).toString("hex"));

it("refuses more unsent files than a person may have, also of uploads at once, until one is removed", async () => {
  const uploads = await Promise.all(
    Array.from({ length: ATTACHMENT_LIMITS.unsent / 5 + 2 }, () =>
      upload(...Array.from({ length: 5 }, () => text(20))),
    ),
  );
  const kept = uploads.flat().flatMap(({ attachment }) => attachment ?? []);
  const refused = uploads.flat().flatMap(({ error }) => error ?? []);
  expect(unsent().files).toBe(ATTACHMENT_LIMITS.unsent);
  expect(kept).toHaveLength(ATTACHMENT_LIMITS.unsent);
  expect(new Set(refused)).toEqual(new Set(["You have 50 unsent files. Send or remove some."]));
  removeAttachment(test.actors.member, kept[0]?.id ?? "");
  expect(await upload(text(20))).toMatchObject([{ error: null }]);
});

it("refuses more bytes of unsent files than a person may have", async () => {
  const [first] = await upload(text(20));
  // As if it were the largest that fits.
  rawDatabase()
    .prepare("UPDATE attachments SET size = ?")
    .run(ATTACHMENT_LIMITS.unsentBytes - 100);
  expect(await upload(text(80), text(40))).toMatchObject([
    { error: null },
    { error: "Your unsent files would have more than 200 MB. Send or remove some." },
  ]);
  removeAttachment(test.actors.member, first?.attachment?.id ?? "");
  expect(await upload(text(40))).toMatchObject([{ error: null }]);
  const resource = `attachment:${first?.attachment?.id}`;
  expect(listAudit(test.actors.member, { limit: 9 }).entries).toMatchObject([
    { action: "attachment.added", details: { size: 40 } },
    { action: "attachment.removed", resource },
    { action: "attachment.added", details: { size: 80 } },
    { action: "attachment.added", resource, details: { mediaType: "text/plain", size: 20 } },
  ]);
});

it("fails an upload for a fault of the console, instead of blaming the file", async () => {
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield text(20);
    throw new Error("the pipe broke");
  }
  async function* files(): AsyncGenerator<MultipartPart> {
    yield* filesOf([text(20)]);
    yield { kind: "file", name: "files", fileName: "b.txt", contentType: "text/plain", bytes: broken() };
  }
  await expect(receiveAttachments(test.actors.member, files())).rejects.toThrow("the pipe broke");
});
