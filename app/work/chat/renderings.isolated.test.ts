import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { rawDatabase } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { addConversation } from "../../../tests/support/conversations";
import { openTestDatabase } from "../../../tests/support/database";
import { RENDER_TOOK_TOO_LONG, renderInThread } from "./markdown/render-pool.server";
import { renderMessages } from "./renderings.service.server";

vi.mock("./markdown/render-pool.server", () => ({
  RENDER_TOOK_TOO_LONG: "It took too long.",
  renderInThread: vi.fn(),
}));

let test: ReturnType<typeof openTestDatabase>;
beforeEach(() => {
  test = openTestDatabase();
  addConversation("con_1", [
    { role: "user", text: "Ask" },
    { role: "assistant", text: "**Bold**" },
  ]);
});
afterEach(() => test.close());

const message = {
  id: "msg_con_1_1",
  role: "assistant" as const,
  status: "complete" as const,
  parts: [{ type: "text" as const, id: "0", text: "**Bold**" }],
};
const stored = () => rawDatabase().prepare("select count(*) from message_renderings").pluck().get();
const fails = (error: Error) => vi.mocked(renderInThread).mockReset().mockRejectedValue(error);

it("shows a text that can't be drawn as plain text, and tries again with the next view", async () => {
  fails(new AppError("unavailable", "All threads are busy."));
  const shown = await renderMessages([message]);
  const plain = [{ t: "plain", from: 0, to: 8 }];
  expect(JSON.parse(shown[message.id] ?? ""), "the text as it was written").toMatchObject({
    parts: [{ blocks: plain }],
  });
  expect(stored(), "nothing is kept").toBe(0);
  await renderMessages([message]);
  expect(renderInThread).toHaveBeenCalledTimes(2);
});

it("keeps the plain text of what takes too long, which would take as long with each view", async () => {
  fails(new AppError("unavailable", RENDER_TOOK_TOO_LONG));
  const first = await renderMessages([message]);
  expect(stored()).toBe(1);
  expect(await renderMessages([message])).toEqual(first);
  expect(renderInThread).toHaveBeenCalledTimes(1);
});

it("doesn't hide an unexpected error", async () => {
  fails(new Error("a bug"));
  await expect(renderMessages([message])).rejects.toThrow("a bug");
});
