import { describe, expect, it } from "vitest";
import { commands, createShortcuts, type KeyPress, type ShortcutContext, typeAhead } from "./commands";
import { matchCommands } from "./match-commands";

const plain: KeyPress = { key: "", ctrl: false, meta: false, alt: false, shift: false };
const calm: ShortcutContext = { mac: false, paletteOpen: false, inField: false, isTaken: false, now: 0 };
const press = (key: string, more: Partial<KeyPress> = {}, context: Partial<ShortcutContext> = {}) =>
  createShortcuts()({ ...plain, key, ...more }, { ...calm, ...context });
const target = (outcome: ReturnType<typeof press>) =>
  outcome && "run" in outcome ? outcome.run.to : outcome;

describe("the commands", () => {
  it("are in the specification's order", () => {
    expect(commands.filter((one) => one.group === "Actions").map((one) => `${one.name} ${one.to}`)).toEqual([
      "Create new workflow /workflows",
      "Start AI chat /chat",
      "Search RAG documents /rag",
      "Add new persona /personas",
      "Configure provider /providers",
      // Not in the specification, so after what is.
      "Compare models /compare",
      "Evaluate models and prompts /evaluations",
      "Start temporary chat /chat/temporary",
      "Invite member /settings/members?dialog=invite",
      "Create API token /settings/profile?dialog=new-token",
      "Open prompt library /prompts",
      "Use light theme /theme",
      "Use dark theme /theme",
      "Use the system's theme /theme",
      "Sign out /logout",
    ]);
    expect(commands.filter((one) => one.group === "Navigation").map((one) => one.name)).toEqual([
      "Dashboard",
      "AI Chat",
      "Workflows",
      "Personas",
      "RAG & Memory",
      "Providers",
      "Extensions",
      "Audit",
      "Settings",
    ]);
  });

  it("match every word of a query", () => {
    expect(matchCommands("  new PERSONA ").map((one) => one.id)).toEqual(["add-persona"]);
    expect(matchCommands("")).toHaveLength(commands.length);
    expect(matchCommands("zzz")).toEqual([]);
    expect(matchCommands("persona", ["personas.write"]).map((one) => one.id)).toEqual(["go-personas"]);
    expect(matchCommands("chat", ["chat.use"]).map((one) => one.name)).toEqual(["AI Chat"]);
    expect(matchCommands("compare", ["chat.use"])).toEqual([]);
    expect(matchCommands("temporary", ["security.allowTemporaryChats"])).toEqual([]);
  });

  it("have one target per letter", () => {
    const places = new Map<string, Set<string>>();
    for (const { letter, to } of commands) {
      if (letter) places.set(letter, (places.get(letter) ?? new Set()).add(to));
    }
    for (const [letter, to] of places) expect([letter, to.size]).toEqual([letter, 1]);
  });
});

describe("the shortcuts", () => {
  it("include the question mark, which opens the palette", () => {
    expect(press("?", { shift: true })).toEqual({ toggle: true });
    expect(press("?", { shift: true }, { inField: true })).toBeUndefined();
  });

  it.each([
    "/",
    "/chat",
    "/workflows",
    "/personas",
    "/rag",
    "/providers",
    "/extensions",
    "/audit",
    "/settings",
  ])("go to %s by number, palette open or closed", (to) => {
    const number = String(
      commands.filter((one) => one.group === "Navigation").findIndex((one) => one.to === to) + 1,
    );
    expect(target(press(number, { ctrl: true }))).toBe(to);
    expect(target(press(number, { meta: true }, { mac: true, paletteOpen: true }))).toBe(to);
  });

  it.each([
    ["n", "/workflows"],
    ["c", "/chat"],
    ["d", "/rag"],
  ])("take Ctrl+%s to %s only while the palette is closed", (key, to) => {
    expect(target(press(key, { ctrl: true }))).toBe(to);
    expect(press(key, { ctrl: true }, { paletteOpen: true })).toBeUndefined();
  });

  it.each(["n", "c", "d"])("leave Ctrl+%s to what can take it: a field, a selection, a row", (key) => {
    expect(press(key, { ctrl: true }, { isTaken: true })).toBeUndefined();
    expect(press(key, { meta: true }, { inField: true, mac: true })).toBeUndefined();
  });

  it("open the palette from anywhere", () => {
    expect(press("k", { ctrl: true }, { inField: true })).toEqual({ toggle: true });
    expect(press("k", { ctrl: true }, { mac: true })).toBeUndefined();
  });

  it("run a sequence in time, outside fields", () => {
    const decide = createShortcuts();
    const type = (key: string, now: number, inField = false) =>
      decide({ ...plain, key }, { ...calm, now, inField });
    expect(type("g", 0)).toBeUndefined();
    expect(target(type("p", 400))).toBe("/personas");
    type("g", 1000);
    expect(type("p", 4000)).toBeUndefined();
    type("g", 5000, true);
    expect(type("p", 5100, true)).toBeUndefined();
  });

  it("ignore combinations with other modifiers", () => {
    expect(press("n", { ctrl: true, shift: true })).toBeUndefined();
    expect(press("1", { ctrl: true, alt: true })).toBeUndefined();
  });
});

it("collects what is typed before the palette has loaded", () => {
  const keys = ["a", "Shift", "B", "Backspace", "ü", "Enter", "ArrowDown"];
  const type = (text: string, key: string) =>
    typeAhead(text, { key, ctrlKey: false, metaKey: false, altKey: false }) ?? text;
  expect(keys.reduce(type, "")).toBe("aü");
  expect(typeAhead("a", { key: "k", ctrlKey: true, metaKey: false, altKey: false })).toBeUndefined();
});
