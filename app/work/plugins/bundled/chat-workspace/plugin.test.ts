import { expect, it } from "vitest";
import { parseToolInput } from "~/ai/tools/tool-input.service.server";
import { chatWorkspace } from "./plugin.server";

it("refuses to search for more words than a search takes, also within one text", async () => {
  const find = chatWorkspace.tools.find(({ name }) => name.endsWith("find"));
  if (!find) throw new Error("The tool is gone.");
  const eight = ["one two three four", "five", "six", "seven", "eight"];
  expect(await parseToolInput(find, { words: eight })).toEqual({ words: eight });
  await expect(parseToolInput(find, { words: [...eight, "nine"] })).rejects.toMatchObject({
    code: "invalid",
    message: expect.stringContaining("at most 8 words"),
  });
});
