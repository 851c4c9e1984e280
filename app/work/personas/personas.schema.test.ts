import { describe, expect, it } from "vitest";
import { PersonaInput, PersonaPatch } from "./personas.schema";

const messages = (input: unknown) =>
  PersonaInput.safeParse(input).error?.issues.map((issue) => [issue.path.join("."), issue.message]);

describe("PersonaInput", () => {
  it("needs no more than a name", () => {
    expect(PersonaInput.parse({ name: "  Analyst " })).toEqual({
      name: "Analyst",
      systemPrompt: "",
      defaultModel: "gpt-4o",
      mode: "default",
      reasoningEffort: "default",
      tools: [],
      skills: [],
      assistants: [],
      assistantSteps: 3,
      assistantBudget: 0.1,
      approval: "default",
      visibility: "everyone",
      groups: [],
    });
  });

  it.each([[{}], [{ name: "" }], [{ name: "   " }], [{ name: 5 }]])("asks for the name in %j", (input) => {
    expect(messages(input)).toEqual([["name", "Persona name is required"]]);
  });

  it("bounds what it takes", () => {
    expect(messages({ name: "n".repeat(101) })).toEqual([["name", "Use at most 100 characters"]]);
    expect(messages({ name: "n", systemPrompt: "p".repeat(20_001) })).toEqual([
      ["systemPrompt", "Use at most 20,000 characters"],
    ]);
    expect(messages({ name: "a\nb" })).toEqual([["name", "Remove line breaks and control characters"]]);
    expect(messages({ name: "n", mode: "pirate" })).toEqual([["mode", "Choose a mode from the list"]]);
  });
});

describe("PersonaPatch", () => {
  it("adds nothing to its input", () => {
    expect(PersonaPatch.parse({ mode: "research" })).toEqual({ mode: "research" });
  });

  it("refuses to take the name away", () => {
    expect(PersonaPatch.safeParse({ name: " " }).success).toBe(false);
  });
});
