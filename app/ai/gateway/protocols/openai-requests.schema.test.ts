import { describe, expect, it } from "vitest";
import { parseRequest } from "./content";
import { EmbeddingsRequest } from "./openai-embeddings.protocol";
import { ResponsesRequest } from "./openai-responses.schema";

const embed = (input: unknown, more: object = {}) =>
  parseRequest(EmbeddingsRequest, { model: "m", input, ...more });
const respond = (more: object) => parseRequest(ResponsesRequest, { model: "m", input: "Hi", ...more });

describe("an embeddings request", () => {
  it.each([["text"], [["one", "two"]], [[1, 2, 3]], [[[1], [2, 3]]]])("takes %j", (input) => {
    expect(embed(input, { dimensions: 8, own: true })).toMatchObject({ input, dimensions: 8, own: true });
  });

  it.each([
    [undefined, "The input must be a string"],
    ["", "The input is empty."],
    [[], "The input is empty."],
    [["a", 1], "The inputs must be all texts or all tokens"],
    [[1, "a"], "Tokens must be whole numbers."],
    [[[1], "a"], "Tokens must be whole numbers."],
    [["a", ""], "One of the inputs is empty."],
    [Array(2049).fill("a"), "There are 2049 inputs; at most 2048 are allowed."],
    [Array(100).fill("x".repeat(50_000)), "The input contains 5.0 MB of text; at most 4 MB is allowed."],
    [Array(1_000_001).fill(1), "The input contains 1000001 tokens; at most 1,000,000 are allowed."],
  ])("is refused with the reason (%#)", (input, reason) => {
    expect(() => embed(input)).toThrow(`input: ${reason}`);
  });
});

describe("a responses request", () => {
  it("is kept as it is for the provider", () => {
    const tools = [
      { type: "web_search" },
      { type: "function", name: "f", parameters: { type: "object" }, strict: true },
    ];
    expect(respond({ tools, input: [{ role: "user", content: "Hi" }], reasoning: {} })).toMatchObject({
      tools,
      reasoning: {},
    });
  });

  it("is refused where a tool's schema isn't one", () => {
    const tools = [{ type: "function", parameters: { type: "object", required: "all" } }];
    expect(() => respond({ tools })).toThrow("tools.0.parameters.required: It must be an array");
    expect(() => respond({ input: 7 })).toThrow("input: The input must be a string or an array of items.");
  });
});
