import { afterAll, afterEach, beforeEach, expect, it } from "vitest";
import { closeWorkerPools } from "~/core/worker-pool.server";
import { addConversation } from "../../../../tests/support/conversations";
import { openTestDatabase } from "../../../../tests/support/database";
import { keepResultFile, openResultFile } from "./result-files.service.server";

let test: ReturnType<typeof openTestDatabase>;
beforeEach(() => {
  test = openTestDatabase();
});
afterEach(() => test.close());
afterAll(closeWorkerPools);

it("shows an SVG without its scripts and links, and any other text as a file", async () => {
  const { member } = test.actors;
  addConversation("con_svg", []);
  const keep = (text: string) =>
    keepResultFile(
      member,
      { kind: "chat", conversationId: "con_svg", messageId: "msg_1" },
      { name: "Chart.svg", bytes: Buffer.from(text) },
    );
  const svg = `<?xml version="1.0"?><svg width="9"><script>alert(1)</script><image href="https://example.org/x"/><rect width="9" onclick="alert(1)"/></svg>`;
  const file = await keep(svg);
  expect(file).toMatchObject({ name: "Chart.svg", mediaType: "image/svg+xml" });
  expect(openResultFile(member, file?.id ?? "").bytes.toString()).toBe(
    `<svg xmlns="http://www.w3.org/2000/svg" width="9"><rect width="9"></rect></svg>`,
  );
  for (const other of ["<html><svg/></html>", "<svg", `<svg><!DOCTYPE x></svg>`])
    expect(await keep(other)).toMatchObject({ mediaType: "application/octet-stream" });
});
