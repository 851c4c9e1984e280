import type { LanguageModelV3Message } from "@ai-sdk/provider";
import { expect, it } from "vitest";
import { compatibleTurns } from "./compatible-turns";

const said = (value: string): LanguageModelV3Message => ({
  role: "user",
  content: [{ type: "text", text: value }],
});
const system = (content: string): LanguageModelV3Message => ({ role: "system", content });

it("joins system messages, and what a person said in a row, to one text each", () => {
  expect(compatibleTurns([system("One."), system("Two."), said("Three."), said("Four.")], "m")).toEqual([
    system("One.\n\nTwo."),
    said("Three.\n\nFour."),
  ]);
});

it("keeps a picture a part of its own", () => {
  const picture = { type: "file" as const, mediaType: "image/png", data: "AA==" };
  const shown: LanguageModelV3Message = { role: "user", content: [picture] };
  expect(compatibleTurns([said("Look."), shown], "m")).toEqual([
    { role: "user", content: [{ type: "text", text: "Look." }, picture] },
  ]);
});
