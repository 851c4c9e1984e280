import { describe, expect, it } from "vitest";
import type { PluginContext } from "../../plugin";
import { documentTranslator, splitText } from "./plugin.server";

describe("splitting a text", () => {
  it("keeps all text and splits at paragraphs, lines, sentences or spaces", () => {
    const text = `${"First words here. ".repeat(10)}\n\n${"Second part. ".repeat(10)}\n${"x".repeat(500)}😀end`;
    const pieces = splitText(text, 200);
    expect(pieces.join("")).toBe(text);
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(200);
    expect(pieces[0]?.endsWith("\n\n")).toBe(true);
    expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
    expect(splitText("", 10)).toEqual([]);
  });
});

describe("the translator", () => {
  const translate = documentTranslator.tools.find(({ name }) => name === "translate");
  type Request = Parameters<PluginContext["generate"]>[0];
  const run = (
    text: string,
    answer: (request: Request) => { text: string; model: string; truncated: boolean },
  ) => {
    const requests: Request[] = [];
    const context = {
      report: () => undefined,
      settings: { model: "gpt-4o", glossary: "deck = Deck" },
      generate: async (request: Request) => {
        requests.push(request);
        return answer(request);
      },
    } as unknown as PluginContext;
    return { requests, output: translate?.run({ text, to: "German", tone: "formal" }, context) };
  };

  it("sends each part to the chosen model and keeps the breaks between them", async () => {
    const text = `${"a ".repeat(3900)}\n\n${"b ".repeat(3900)}`;
    const { requests, output } = run(text, ({ prompt }) => ({
      text: ` ${prompt[0]} `,
      model: "gpt-4o",
      truncated: false,
    }));
    expect(await output).toEqual({ text: "a \n\nb", to: "German", model: "gpt-4o" });
    expect(requests).toHaveLength(2);
    expect(requests[0]).toMatchObject({
      model: "gpt-4o",
      maxLength: requests[0] && requests[0].prompt.length * 3 + 500,
    });
    expect(requests[0]?.system).toContain("into German. Use a formal tone.");
    expect(requests[0]?.system).toContain("deck = Deck");
  });

  it("reports a truncated translation and rejects the built-in model", async () => {
    const cut = run("Hello", () => ({ text: "Hallo", model: "gpt-4o", truncated: true }));
    expect(await cut.output).toMatchObject({ truncated: true });
    const offline = run("Hello", () => ({ text: "…", model: "quarterdeck-offline", truncated: false }));
    await expect(offline.output).rejects.toThrow("The built-in model can't translate.");
  });
});
